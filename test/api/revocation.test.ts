import { afterAll, beforeAll, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import type { Session } from '../../src/contract/http/session.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { Client, refusal } from '../gateway/client.ts';
import { promised } from '../nightly.ts';
import { Listener } from './listeners.ts';

const WITHIN_MS = promised(5_000);

let service: Service;
let admin: PhoneboothClient;
let session: Session;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '1' } });
  admin = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
  const free = async () => (await admin.listDevices({ status: 'available' })).items[0];
  const { session_id } = await admin.connect((await until('an available phone', free)).id, { duration: 30 });
  session = await until('a connected session', async () => {
    const current = await admin.getSession(session_id);
    return current.status === 'connected' && current;
  });
});
afterAll(() => service?.[Symbol.asyncDispose]());

async function newKey(role: 'user' | 'viewer' = 'user') {
  const { id, key } = await admin.createKey({ name: 'leaving', role });
  return { id, key: key!, client: new PhoneboothClient({ baseUrl: service.baseUrl, key: key! }) };
}

/** The socket's address on the port without TLS, which clients on this machine can use. */
const near = (url: string) => service.httpOrigin.replace('http:', 'ws:') + new URL(url).pathname;

async function open(url: string): Promise<Client> {
  const client = new Client(near(url));
  await client.opened;
  return client;
}

const closed = (client: Client) => until('the socket to be closed', () => client.closed);

/** Asserts that the expected effect occurs soon enough after the revocation. */
async function soonAfter(revoke: Promise<unknown>, what: () => Promise<unknown>): Promise<void> {
  await revoke;
  const since = performance.now();
  await what();
  expect(performance.now() - since).toBeLessThan(WITHIN_MS);
}

test('closes the sockets of a revoked key on another key’s session, which continues', async () => {
  const { id, client } = await newKey();
  const theirs = await client.getSession(session.session_id);
  expect(theirs.stream_url).not.toBe(session.stream_url);
  const [mine, stream] = [await open(session.stream_url), await open(theirs.stream_url)];
  const control = await open(theirs.control_url!);
  await soonAfter(admin.revokeKey(id), () => Promise.all([closed(stream), closed(control)]));
  expect([stream.closed?.code, control.closed?.code]).toEqual([4003, 4003]);
  for (const url of [theirs.stream_url, theirs.control_url!])
    expect(await refusal(near(url))).toMatchObject({ status: 401, body: { code: 40001 } });
  expect(mine.closed).toBeNull();
  mine.socket.terminate();
  expect((await admin.getSession(session.session_id)).status).toBe('connected');
});

test('shows the screen through a watch link until the link is revoked, and the session continues', async () => {
  const link = await admin.createWatchLink(session.session_id);
  expect(link).toMatchObject({ session_id: session.session_id, revoked_at: null });
  const viewer = await open(link.stream_url);
  await until('a frame', () => viewer.packets.length > 3);
  // The address of a stream does not open any other socket
  const control = link.stream_url.replace('/stream/', '/control/');
  expect(await refusal(near(control))).toMatchObject({ status: 401 });
  const listed = await admin.listWatchLinks(session.session_id);
  expect(listed.items.map(({ id }) => id)).toEqual([link.id]);
  expect(JSON.stringify(listed)).not.toContain('/stream/');
  await soonAfter(admin.revokeWatchLink(session.session_id, link.id), () => closed(viewer));
  expect(viewer.closed?.code).toBe(4003);
  expect(await refusal(near(link.stream_url))).toMatchObject({ status: 401 });
  expect((await admin.getSession(session.session_id)).status).toBe('connected');
  const audit = await admin.admin.listAudit({ target: link.id });
  expect(audit.items.map(({ action, code }) => [action, code])).toEqual([
    ['sessions.watch-links.revoke', 0],
    ['sessions.watch-links.create', 0],
  ]);
});

test('lets a viewer’s key list watch links, but neither create nor revoke them', async () => {
  const { client } = await newKey('viewer');
  const link = await admin.createWatchLink(session.session_id);
  expect((await client.listWatchLinks(session.session_id)).items[0]).toMatchObject({ id: link.id });
  await expect(client.createWatchLink(session.session_id)).rejects.toMatchObject({ code: 40003 });
  await expect(client.revokeWatchLink(session.session_id, link.id)).rejects.toMatchObject({ code: 40003 });
  await expect(admin.revokeWatchLink(session.session_id, 'watch_none')).rejects.toMatchObject({
    code: 40008,
  });
  await expect(admin.createWatchLink('ses_none')).rejects.toMatchObject({ code: 40005 });
});

test('closes a stream of /mcp within 5 s of the revocation of its key', async () => {
  const { id, key } = await newKey();
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const begun = await fetch(`${service.httpOrigin}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  await begun.text();
  const stream = await Listener.open(`${service.httpOrigin}/mcp`, {
    headers: { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id')! },
  });
  expect(stream.status).toBe(200);
  await soonAfter(admin.revokeKey(id), () => stream.until('the end of the stream', () => stream.ended));
});

test('rejects a waiting borrow request within 5 s of the revocation of its key', async () => {
  const { id, key } = await newKey();
  const queue = await Listener.open(`${service.baseUrl}/sessions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ wait: 600 }),
  });
  await queue.event('queued');
  await soonAfter(admin.revokeKey(id), () => queue.event('error', ({ code }) => code === 40001));
  await queue.until('the end of the stream', () => queue.ended);
});
