import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Phonebooth } from '../client/phonebooth.ts';
import { silentLog } from '../util/log.ts';
import type { Caller } from './agent-session.ts';
import { HttpSessions } from './http-sessions.ts';

const IDLE_MS = 600_000;
const MINUTE_MS = 60_000;

let sessions: HttpSessions;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
  const serviceOf = () => ({}) as Phonebooth;
  sessions = new HttpSessions({ serviceOf, version: '1.0.0', log: silentLog, idleMs: IDLE_MS });
});
afterEach(async () => {
  await sessions[Symbol.asyncDispose]();
  vi.useRealTimers();
});

const caller = (keyId: string, accountId = 'account'): Caller => ({
  ...{ keyId, accountId, key: `secret of ${keyId}`, address: '::1' },
});

function request(method: string, id: string | null, body?: object, signal?: AbortSignal): Request {
  return new Request('http://localhost/mcp', {
    method,
    ...(signal && { signal }),
    ...(body && { body: JSON.stringify(body) }),
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(id !== null && { 'mcp-session-id': id }),
    },
  });
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function open(keyId = 'a', accountId?: string): Promise<{ status: number; id: string }> {
  const { status, headers, body } = await sessions.answer(
    request('POST', null, INITIALIZE),
    caller(keyId, accountId),
  );
  await body?.cancel();
  return { status, id: headers.get('mcp-session-id') ?? '' };
}

/** Returns the HTTP status: 404 when the session has ended. */
async function ping(id: string, keyId = 'a'): Promise<number> {
  const { status, body } = await sessions.answer(
    request('POST', id, { jsonrpc: '2.0', id: 2, method: 'ping' }),
    caller(keyId),
  );
  await body?.cancel();
  return status;
}

describe('an HTTP session ends', () => {
  test('after its idle timeout, and not before', async () => {
    const { id } = await open();
    await vi.advanceTimersByTimeAsync(IDLE_MS - MINUTE_MS);
    expect(await ping(id)).toBe(200);
    await vi.advanceTimersByTimeAsync(IDLE_MS - MINUTE_MS);
    expect(await ping(id)).toBe(200);
    await vi.advanceTimersByTimeAsync(IDLE_MS + MINUTE_MS);
    expect(sessions.counters.sessions).toBe(0);
    expect(await ping(id)).toBe(404);
  });

  test('soon after the client’s event stream disconnects, unless the client sends a request', async () => {
    const [silent, alive] = [await open(), await open()];
    for (const { id } of [silent, alive]) {
      const client = new AbortController();
      const stream = await sessions.answer(request('GET', id, undefined, client.signal), caller('a'));
      expect(stream.status).toBe(200);
      client.abort();
      await stream.body?.cancel();
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(await ping(alive.id)).toBe(200);
    await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
    expect([await ping(silent.id), await ping(alive.id)]).toEqual([404, 200]);
  });
});

describe('the limit of twenty sessions per key', () => {
  test('evicts an idle session to make room for another', async () => {
    const first = await open();
    for (let count = 1; count < 20; count += 1) await open();
    expect((await open()).status).toBe(429);
    await vi.advanceTimersByTimeAsync(MINUTE_MS + 1_000);
    expect((await open()).status).toBe(200);
    expect(await ping(first.id)).toBe(404);
    expect(sessions.counters).toEqual({ sessions: 20, phones: 0, refused: 1 });
  });

  test('does not evict a session whose client is listening', async () => {
    for (let count = 0; count < 20; count += 1) {
      const { id } = await open();
      await sessions.answer(request('GET', id), caller('a'));
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS + 1_000);
    expect((await open()).status).toBe(429);
  });

  test('does not affect other keys', async () => {
    for (let count = 0; count < 20; count += 1) await open('a');
    expect((await open('b')).status).toBe(200);
  });
});

test('limits the sessions of all keys of one account without affecting other accounts', async () => {
  for (let count = 0; count < 200; count += 1) await open(`key ${count % 10}`);
  expect((await open('key 11')).status).toBe(429);
  expect((await open('other', 'open with another account')).status).toBe(200);
  await vi.advanceTimersByTimeAsync(MINUTE_MS + 1_000);
  // An idle session is ended to make room only for a session of the same account.
  expect((await open('key 11')).status).toBe(200);
  expect(sessions.counters.sessions).toBe(201);
});

test('a rejected initialize request leaves no session behind', async () => {
  const refused = new Request('http://localhost/mcp', {
    method: 'POST',
    body: JSON.stringify(INITIALIZE),
    headers: { 'content-type': 'application/json', accept: 'text/html' },
  });
  expect((await sessions.answer(refused, caller('a'))).status).toBe(406);
  expect(sessions.counters.sessions).toBe(0);
});
