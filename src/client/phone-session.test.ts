import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import type { Session } from '../contract/http/session.ts';
import { CLOSE } from '../contract/sockets/close-codes.ts';
import { PhoneSession } from './phone-session.ts';
import type { PhoneboothClient } from './phonebooth-client.ts';

let server: WebSocketServer;
let phone: PhoneSession;
let control: ServerSocket;
/** The session that the simulated service returns. */
let row: Session;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  row = { session_id: 's1', status: 'connecting', stream_url: url, control_url: url } as Session;
  const client = { getSession: async () => row, socketUrl: (address: string) => address };
  const accepted = once(server, 'connection', { signal: AbortSignal.timeout(60_000) });
  phone = new PhoneSession(client as unknown as PhoneboothClient, row);
  [control] = await accepted;
});

afterEach(() => {
  phone.detach();
  for (const client of server.clients) client.terminate();
  server.close();
});

test('fails a command that waits for the phone when another client takes control', async () => {
  const tapped = phone.tap(0.5, 0.5);
  control.close(CLOSE.takenOver);
  row = { ...row, status: 'connected' };
  await expect(tapped).rejects.toMatchObject({ name: 'ControlError' });
});

test('holds commands that the gateway rejects as not connected, without sending them repeatedly', async () => {
  const COMMANDS = 20;
  const REFUSED_FOR_MS = 300;
  const methods: string[] = [];
  const since = performance.now();
  control.on('message', (data) => {
    const { id, method } = JSON.parse(String(data));
    methods.push(method);
    const isRefused = methods.length <= COMMANDS || performance.now() - since < REFUSED_FOR_MS;
    const answer = isRefused
      ? { error: { code: -32003, message: 'the phone is not connected yet' } }
      : { result: null };
    control.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const params = { session_id: 's1', width: 10, height: 20, capabilities: ['tap'], expires_at: '' };
  control.send(JSON.stringify({ jsonrpc: '2.0', method: 'session.ready', params }));
  await Promise.all(Array.from({ length: COMMANDS }, () => phone.tap(0.5, 0.5)));
  // One command at a time is a trial, with growing delays between the trials. Resending without a delay would take
  // thousands of messages.
  expect(methods.length).toBeLessThan(3 * COMMANDS);
});

test('reports the end of the session after control was lost', async () => {
  control.close(CLOSE.takenOver);
  await once(control, 'close');
  row = { ...row, status: 'disconnected', end_reason: 'expired', end_detail: null };
  expect(await phone.ended).toMatchObject({ reason: 'expired' });
  await expect(phone.tap(0.5, 0.5)).rejects.toBe(await phone.ended);
});
