import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ReceivedEvent } from '../../src/client/listen.ts';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import type { Session } from '../../src/contract/http/session.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { promised } from '../nightly.ts';
import { Listener } from './listeners.ts';

const DEADLINE = { timeout: 60_000, interval: 20 };

let service: Service;
let client: PhoneboothClient;
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const listen = (key = service.key, headers: Record<string, string> = {}) =>
  Listener.open(`${service.baseUrl}/events`, { headers: { ...bearer(key), ...headers } });

async function newKey(...options: string[]): Promise<{ id: string; key: string }> {
  const { code, stdout, stderr } = await service.command('keys', 'create', '--json', ...options);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function freePhone(): Promise<string> {
  return vi.waitFor(async () => {
    const { items } = await client.listDevices({ status: 'available' });
    if (items.length === 0) throw new Error('no phone is available');
    return items[0]!.id;
  }, DEADLINE);
}

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  client = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe('GET /events', () => {
  test('shows the watch URL to a viewer’s key, but not the URLs to control the phone', async () => {
    const viewer = await newKey('--account', 'default', '--role', 'viewer');
    const observer = new PhoneboothClient({ baseUrl: service.baseUrl, key: viewer.key });
    await using theirs = await listen(viewer.key);
    const session = await client.connect(await freePhone(), { duration: 5 });
    expect(session).toMatchObject({
      control_url: expect.stringContaining('/control/'),
      adb_url: expect.stringContaining('/adb/'),
    });
    const matches = ({ session_id }: Record<string, unknown>) => session_id === session.session_id;
    const seen = [
      (await theirs.event('session.changed', matches)).data,
      await observer.getSession(session.session_id),
      (await observer.listSessions({ status: 'connecting' })).items.find(matches) ??
        (await observer.listSessions({ status: 'connected' })).items.find(matches),
    ];
    // Each key has its own socket addresses, which are the same in every response
    const { stream_url } = seen[1]!;
    expect(stream_url).toContain(`/stream/${viewer.id}.`);
    expect(stream_url).not.toBe(session.stream_url);
    for (const one of seen) expect(one).toMatchObject({ stream_url, control_url: null, adb_url: null });
    await client.disconnect(session.session_id);
  });

  test('begins with the resume id and delivers events of phones and own sessions', async () => {
    const other = await newKey('--account', 'others', '--role', 'viewer');
    const deviceId = await freePhone();
    await using own = await listen();
    await using theirs = await listen(other.key);
    expect(own.status).toBe(200);
    expect(own.headers.get('content-type')).toBe('text/event-stream');
    await own.until('the retry field and an id', () => /^retry: \d+\n\nid: \S+\n\n/.test(own.text));

    const session = await client.connect(deviceId, { duration: 5 });
    await own.event('device.changed', ({ id, status }) => id === deviceId && status === 'busy');
    const changed = await own.event('session.changed', ({ session_id }) => session_id === session.session_id);
    expect(changed.data).toMatchObject({ device_id: deviceId, stream_url: session.stream_url });
    await own.event('session.changed', ({ status }) => status === 'connected');
    await client.disconnect(session.session_id);
    const end = await own.event('session.changed', ({ status }) => status === 'disconnected');
    const ended = await client.getSession(session.session_id);
    expect(end.data).toEqual({ ...ended, stream_url: null, control_url: null, adb_url: null });
    const clean = (device: Record<string, unknown>) =>
      device.id === deviceId && device.status === 'available';
    await own.event('device.changed', clean);

    await theirs.event('device.changed', clean);
    expect(theirs.events.map(({ event }) => event)).not.toContain('session.changed');
  });

  test('reports errors before the stream begins in the error envelope', async () => {
    const answer = await fetch(`${service.baseUrl}/events`, { headers: { accept: 'text/event-stream' } });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ code: 40001 });
  });

  test('resumes where a disconnected client left off', async () => {
    const deviceId = await freePhone();
    const first = await listen();
    await first.until('an event id', () => first.lastEventId);
    const lastEventId = first.lastEventId!;
    await first[Symbol.asyncDispose]();
    const session = await client.connect(deviceId, { duration: 5 });
    await client.disconnect(session.session_id);

    await using second = await listen(service.key, { 'Last-Event-ID': lastEventId });
    await second.event('session.changed', ({ session_id }) => session_id === session.session_id);
    await second.until('the next event id', () => second.lastEventId !== lastEventId);
    expect(second.events.map(({ event }) => event)).not.toContain('reset');
  });

  test.each(['nonsense', '0-99999999999'])('answers an unknown id with a reset: %s', async (id) => {
    await using listener = await listen(service.key, { 'Last-Event-ID': id });
    const { data, lastEventId } = await listener.event('reset');
    expect(data).toEqual({});
    await using again = await listen(service.key, { 'Last-Event-ID': lastEventId! });
    await again.until('an event id', () => again.lastEventId);
    // An event about a phone that is being cleaned may arrive in the meantime. Missed events are not sent again.
    expect(again.events.map(({ event }) => event)).not.toContain('reset');
  });

  test('ends within 5 s of the revocation of its key', async () => {
    const { id, key } = await newKey('--account', 'leaving');
    await using listener = await listen(key);
    await listener.until('an event id', () => listener.lastEventId);
    await service.command('keys', 'revoke', id);
    const revokedAt = performance.now();
    expect(await listener.until('end', () => listener.ended)).toBe('cleanly');
    expect(performance.now() - revokedAt).toBeLessThan(promised(5_000));
    // The service caches a valid key for one second.
    await vi.waitFor(async () => {
      const answer = await fetch(`${service.baseUrl}/events`, { headers: bearer(key) });
      await answer.body?.cancel();
      expect(answer.status).toBe(401);
      expect(performance.now() - revokedAt).toBeLessThan(promised(5_000));
    }, DEADLINE);
  });
});

describe('client.events', () => {
  test('iterates until its signal aborts, across a restart of the service, without losing an event', async () => {
    const leaving = new AbortController();
    const received: ReceivedEvent[] = [];
    const iteration = (async () => {
      for await (const event of client.events({ signal: leaving.signal })) received.push(event);
    })();
    const sessionOf = (id: string) =>
      received.findLast((one) => one.event === 'session.changed' && one.data.session_id === id)
        ?.data as Session;
    const first = await client.connect(await freePhone(), { duration: 5 });
    await vi.waitFor(() => expect(sessionOf(first.session_id)?.status).toBe('connected'), DEADLINE);

    await service.kill9();
    await service.restart();
    // The host reconnected immediately, so its session continued
    await client.disconnect(first.session_id);
    const second = await client.connect(await freePhone(), { duration: 5 });
    await vi.waitFor(() => {
      expect(sessionOf(first.session_id).status).toBe('disconnected');
      expect(sessionOf(second.session_id)?.status).toBe('connected');
    }, DEADLINE);
    await client.disconnect(second.session_id);
    expect(received.map(({ event }) => event)).not.toContain('reset');
    leaving.abort();
    await iteration;
  });

  test('throws the service’s error for an invalid key', async () => {
    const unauthorized = new PhoneboothClient({ baseUrl: service.baseUrl, key: 'pb_nobody' });
    await expect(unauthorized.events().next()).rejects.toMatchObject({ name: 'ServiceError', code: 40001 });
  });

  test('ends the stream cleanly when the service stops', async () => {
    await using listener = await listen();
    await listener.until('an event id', () => listener.lastEventId);
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(await listener.until('end', () => listener.ended)).toBe('cleanly');
    expect(performance.now() - stoppedAt).toBeLessThan(promised(10_000));
  });
});
