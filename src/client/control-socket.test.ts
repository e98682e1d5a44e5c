import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import type { ControlNotification } from '../contract/sockets/control-notifications.ts';
import { ControlSocket } from './control-socket.ts';

let server: WebSocketServer;
let control: ControlSocket;
let peer: ServerSocket;
let notifications: ControlNotification[];
let closed: Promise<{ code: number; reason: string }>;

const nextRequest = async () => {
  const [data] = await once(peer, 'message', { signal: AbortSignal.timeout(60_000) });
  return JSON.parse(String(data));
};

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  notifications = [];
  const accepted = once(server, 'connection', { signal: AbortSignal.timeout(60_000) });
  const end = Promise.withResolvers<{ code: number; reason: string }>();
  closed = end.promise;
  const open = Promise.withResolvers<void>();
  control = new ControlSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    onOpen: open.resolve,
    onNotification: (notification) => notifications.push(notification),
    onClose: (code, reason) => end.resolve({ code, reason }),
  });
  [peer] = await accepted;
  await open.promise;
});

afterEach(() => {
  control.close();
  peer.terminate();
  server.close();
});

describe('ControlSocket', () => {
  test('matches each answer to its call by id, in any order', async () => {
    const first = control.call('key', { key: 'HOME' });
    const one = await nextRequest();
    const second = control.call('clipboard.get', {});
    const two = await nextRequest();
    expect(one).toEqual({ jsonrpc: '2.0', id: one.id, method: 'key', params: { key: 'HOME' } });
    peer.send(JSON.stringify({ jsonrpc: '2.0', id: two.id, result: { text: 'hello' } }));
    peer.send(JSON.stringify({ jsonrpc: '2.0', id: one.id, result: null }));
    expect(await second).toEqual({ text: 'hello' });
    expect(await first).toBeNull();
  });

  test.each([
    ['tap', { x: 0, y: 0 }, 15],
    ['shell', { command: 'sleep 290' }, 300],
    ['app.install', { app_id: 'app_1' }, 300],
  ] as const)(
    'waits longer for a call of %s than the service’s own deadline',
    async (method, params, serviceSeconds) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        let failure: Error | null = null;
        const failed = control.call(method, params).catch((error: Error) => {
          failure = error;
        });
        await vi.advanceTimersByTimeAsync(serviceSeconds * 1_000 + 9_000);
        expect(failure).toBeNull();
        await vi.advanceTimersByTimeAsync(1_000);
        await failed;
        const message = `timed out after ${serviceSeconds + 10} s: the service did not answer ${method}`;
        expect(failure).toMatchObject({ name: 'ControlError', code: 0, message });
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test('sends a scrcpy control message unchanged', async () => {
    const arrived = once(peer, 'message', { signal: AbortSignal.timeout(60_000) });
    expect(control.inject(new Uint8Array([17]))).toBe(true);
    const [data, isBinary] = await arrived;
    expect([...(data as Buffer)]).toEqual([17]);
    expect(isBinary).toBe(true);
  });

  test('throws an error with the code of a rejected call', async () => {
    const call = control.call('rotate', {});
    const { id } = await nextRequest();
    peer.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32002, message: 'rotation is locked' } }));
    await expect(call).rejects.toMatchObject({ code: -32002, message: 'rotation is locked' });
  });

  test('sends a notification without an id', async () => {
    expect(control.notify('touch', { action: 'down', x: 0.5, y: 0.5 })).toBe(true);
    expect(await nextRequest()).toEqual({
      jsonrpc: '2.0',
      method: 'touch',
      params: { action: 'down', x: 0.5, y: 0.5 },
    });
  });

  test('delivers notifications from the phone and ignores malformed JSON', async () => {
    const call = control.call('power', { on: true });
    const { id } = await nextRequest();
    peer.send('nonsense');
    peer.send(JSON.stringify({ jsonrpc: '2.0', method: 'session.expiring', params: { seconds: 60 } }));
    peer.send(JSON.stringify({ jsonrpc: '2.0', id, result: null }));
    await call;
    expect(notifications).toEqual([{ jsonrpc: '2.0', method: 'session.expiring', params: { seconds: 60 } }]);
  });

  test('reports why the connection ended and rejects pending calls', async () => {
    const call = control.call('app.list', {});
    await nextRequest();
    peer.close(4009, 'another client took control');
    expect(await closed).toEqual({ code: 4009, reason: 'another client took control' });
    await expect(call).rejects.toThrow('the control connection was lost');
    expect(control.notify('power', { on: true })).toBe(false);
    await expect(control.call('power', { on: true })).rejects.toThrow('not open');
  });
});
