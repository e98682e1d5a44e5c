import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import type { Queued } from '../../src/contract/http/queue.ts';
import type { Session } from '../../src/contract/http/session.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { Listener } from './listeners.ts';

const DEADLINE = { timeout: 60_000, interval: 20 };

let service: Service;
let client: PhoneboothClient;

const ask = (body: object, headers: Record<string, string> = {}, signal?: AbortSignal) => ({
  method: 'POST',
  headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
  signal,
});
const borrow = async (...args: Parameters<typeof ask>) => {
  const answer = await fetch(`${service.baseUrl}/sessions`, ask(...args));
  const { code, message, data } = (await answer.json()) as { code: number; message: string; data: unknown };
  return { status: answer.status, code, message, data: data as Record<string, unknown> & Session };
};
const borrowAsStream = (body: object, headers: Record<string, string> = {}) =>
  Listener.open(`${service.baseUrl}/sessions`, ask(body, { Accept: 'text/event-stream', ...headers }));

const live = async () =>
  (await client.listSessions()).items.filter(({ status }) => status !== 'disconnected');
const allFree = () =>
  vi.waitFor(async () => expect((await client.listDevices({ status: 'available' })).total).toBe(2), DEADLINE);

/** Borrows all phones. Ending one of the sessions lets the next client in the queue connect. */
async function takeAll(): Promise<Session[]> {
  await allFree();
  const { items } = await client.listDevices();
  return Promise.all(items.map(({ id }) => client.connect(id, { duration: 5 })));
}

async function endAllSessions(): Promise<void> {
  for (const { session_id } of await live()) await client.disconnect(session_id);
  await allFree();
}

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  client = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
});
afterAll(() => service?.[Symbol.asyncDispose]());

describe('POST /sessions', () => {
  test('connects to any matching phone immediately if one is available', async () => {
    await allFree();
    const [device] = (await client.listDevices()).items;
    const { status, data } = await borrow({
      brand: device!.brand.toUpperCase(),
      model: device!.model,
      duration: 7,
    });
    expect(status).toBe(200);
    expect(data).toMatchObject({ device_id: device!.id, status: 'connecting', minutes_reserved: 7 });
    await endAllSessions();
  });

  test('rejects a filter that no phone matches, with an error that names it', async () => {
    const { status, code, message } = await borrow({ brand: 'nokia', os_version: '3', wait: 600 });
    expect([status, code]).toEqual([404, 40004]);
    expect(message).toContain('brand "nokia", os_version "3"');
    expect(await borrow({ wait: 601 })).toMatchObject({ code: 40000 });
    expect(await borrow({ app_id: 'app_none', wait: 600 })).toMatchObject({ code: 40006 });
  });

  test('reports the matching phones and the queue position without a wait and on timeout', async () => {
    await takeAll();
    expect(await borrow({})).toMatchObject({
      ...{ status: 409, code: 40010, data: { reason: 'in_use', matching: 2, ahead: 0 } },
      message: expect.stringContaining('none of the 2 matching phones'),
    });
    const askedAt = performance.now();
    const [first, second] = await Promise.all([borrow({ wait: 2 }), borrow({ wait: 1 })]);
    expect(performance.now() - askedAt).toBeGreaterThan(1_900);
    expect([first.code, second.code]).toEqual([40010, 40010]);
    expect([first.data.ahead, second.data.ahead].sort()).toEqual([0, expect.any(Number)]);
    await endAllSessions();
  });

  test('reports that no matching phone can become available', async () => {
    await allFree();
    const { items } = await client.listDevices();
    const maintain = (maintenance: boolean) =>
      Promise.all(items.map(({ id }) => client.admin.updateDevice(id, { maintenance })));
    await maintain(true);
    expect(await borrow({})).toMatchObject({
      ...{ code: 40010, data: { reason: 'maintenance', matching: 2, ahead: 0 } },
      message: expect.stringContaining('(in maintenance)'),
    });
    await maintain(false);
    await allFree();
  });

  test('waits in turn, reports the queue position and connects as soon as a phone is available', async () => {
    const [taken] = await takeAll();
    await using first = await borrowAsStream({ wait: 60, duration: 3 });
    expect(first.headers.get('content-type')).toBe('text/event-stream');
    expect((await first.event('queued')).data).toEqual({ position: 1, ahead: 0, matching: 2 });
    await using second = await borrowAsStream({ wait: 60 });
    await second.event('queued', ({ position }) => position === 2);
    await client.disconnect(taken!.session_id);
    const { data } = await first.event('session');
    expect(data).toMatchObject({ device_id: taken!.device_id, minutes_reserved: 3 });
    expect(await first.until('end', () => first.ended)).toBe('cleanly');
    await second.event('queued', ({ position }) => position === 1);
    expect(second.events.map(({ event }) => event)).not.toContain('session');
    await client.disconnect(data.session_id as string);
    await second.event('session');
    await endAllSessions();
  });

  test('ends a stream with the error envelope on rejection', async () => {
    await takeAll();
    await using stream = await borrowAsStream({ wait: 1 });
    const { data } = await stream.event('error');
    expect(data).toMatchObject({ code: 40010, message: expect.any(String), data: { reason: 'in_use' } });
    expect(await stream.until('end', () => stream.ended)).toBe('cleanly');
    await endAllSessions();
    await using refused = await borrowAsStream({ brand: 'nokia', wait: 5 });
    expect(refused.status).toBe(404);
    expect(refused.headers.get('content-type')).toContain('application/json');
  });

  test.each(['JSON', 'a stream'])(
    'discards a waiting request when its client disconnects: %s',
    async (kind) => {
      const [taken] = await takeAll();
      const leaving = new AbortController();
      const gone =
        kind === 'JSON'
          ? borrow({ wait: 60 }, {}, leaving.signal).catch(() => {})
          : borrowAsStream({ wait: 60 });
      // Waits until the request is queued, because the next one must be queued behind it.
      await vi.waitFor(async () => expect((await borrow({})).data.ahead).toBe(1), DEADLINE);
      await using next = await borrowAsStream({ wait: 60 });
      await next.event('queued', ({ position }) => position === 2);
      leaving.abort();
      const left = await gone;
      if (left instanceof Listener) await left[Symbol.asyncDispose]();
      await next.event('queued', ({ position }) => position === 1);
      await client.disconnect(taken!.session_id);
      const { data } = await next.event('session');
      expect((await live()).map(({ session_id }) => session_id)).toContain(data.session_id);
      expect(await live()).toHaveLength(2);
      await endAllSessions();
      // A client must not be able to fill the log.
      expect(service.output()).not.toContain('"level":50');
    },
  );

  test('answers a replayed idempotency key with the first session', async () => {
    await allFree();
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const { data } = await borrow({}, key);
    expect((await borrow({ wait: 5 }, key)).data.session_id).toBe(data.session_id);
    expect(await borrow({ brand: 'google' }, key)).toMatchObject({ status: 409, code: 40012 });
    await endAllSessions();
  });
});

describe('client.borrow', () => {
  test('waits, reports the queue position and returns the session', async () => {
    const [taken] = await takeAll();
    const queued: Queued[] = [];
    const session = client.borrow({ wait: 60, duration: 2, onQueued: (one) => queued.push(one) });
    await vi.waitFor(() => expect(queued).toEqual([{ position: 1, ahead: 0, matching: 2 }]), DEADLINE);
    await client.disconnect(taken!.session_id);
    expect(await session).toMatchObject({ device_id: taken!.device_id, minutes_reserved: 2 });
    await endAllSessions();
  });

  test('throws a rejection with its code, or the abort reason', async () => {
    await takeAll();
    await expect(client.borrow()).rejects.toMatchObject({ name: 'ServiceError', code: 40010, status: 409 });
    await expect(client.borrow({ wait: 1 })).rejects.toMatchObject({ code: 40010, status: 409 });
    const leaving = new AbortController();
    const onQueued = () => leaving.abort(new Error('no longer needed'));
    const waiting = client.borrow({ wait: 60, signal: leaving.signal, onQueued });
    await expect(waiting).rejects.toThrow('no longer needed');
    await endAllSessions();
  });

  test('waits across a restart of the service and keeps its queue position', async () => {
    const [taken] = await takeAll();
    const order: string[] = [];
    const positions = new Map<string, number[]>();
    const waiting = async (name: string) => {
      const reported: number[] = [];
      positions.set(name, reported);
      const session = await client.borrow({ wait: 120, onQueued: ({ position }) => reported.push(position) });
      order.push(name);
      return session;
    };
    const first = waiting('first');
    await vi.waitFor(() => expect(positions.get('first')).toEqual([1]), DEADLINE);
    const second = waiting('second');
    await vi.waitFor(() => expect(positions.get('second')).toEqual([2]), DEADLINE);
    for (const reported of positions.values()) reported.length = 0;
    await service.restart();
    await vi.waitFor(() => {
      expect(positions.get('first')?.at(-1)).toBe(1);
      expect(positions.get('second')?.at(-1)).toBe(2);
    }, DEADLINE);
    await client.disconnect(taken!.session_id);
    const session = await first;
    expect(session.status).toBe('connecting');
    await client.disconnect(session.session_id);
    await second;
    expect(order).toEqual(['first', 'second']);
    await endAllSessions();
  });
});
