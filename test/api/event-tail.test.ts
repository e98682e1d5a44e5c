import { connect, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { EventTailOptions } from '../../src/control-plane/events/event-tail.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';
import { Listener } from './listeners.ts';

const WAIT = { timeout: 60_000, interval: 20 };

let rig: ApiRig;
afterEach(() => rig?.[Symbol.asyncDispose]());
const start = async (tail: EventTailOptions) => {
  rig = await startApiRig({ tail });
};

const listen = (key: string, lastEventId?: string) =>
  Listener.open(`${rig.baseUrl}/events`, {
    headers: { Authorization: `Bearer ${key}`, ...(lastEventId && { 'Last-Event-ID': lastEventId }) },
  });
const ready = async (listener: Listener) => {
  await listener.until('an event id', () => listener.lastEventId);
  return listener;
};

test('limits the concurrent streams of an account and of the server', async () => {
  await start({ maxListeners: 3, maxListenersPerAccount: 2 });
  const [one, two, three] = [await rig.key(), await rig.key(), await rig.key()];
  const refused = async (key: string) => {
    const answer = await fetch(`${rig.baseUrl}/events`, { headers: { Authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    return (await answer.json()) as { code: number; message: string };
  };
  const first = await ready(await listen(one.key));
  await using _second = await ready(await listen(one.key));
  expect(await refused(one.key)).toMatchObject({
    code: 40029,
    message: expect.stringContaining('the account'),
  });
  await using _third = await ready(await listen(two.key));
  expect(await refused(three.key)).toMatchObject({
    code: 40029,
    message: expect.stringContaining('this server'),
  });
  await first[Symbol.asyncDispose]();
  await vi.waitFor(async () => {
    await using again = await listen(one.key);
    expect(again.status).toBe(200);
  }, WAIT);
});

test('sends a comment with the current id on an idle stream', async () => {
  await start({ heartbeatMs: 30 });
  const { key } = await rig.key();
  await using listener = await listen(key);
  await listener.until('two comments', () => /(: still here\n\nid: \S+\n\n){2}/.test(listener.text));
  expect(listener.events).toEqual([]);
});

test('stays open during a store outage and delivers the missed events afterwards', async () => {
  await start({ pollMs: 20 });
  const { key } = await rig.key();
  await using listener = await ready(await listen(key));
  rig.storeIsUnavailable = true;
  await rig.report({ id: 'd1' });
  const refused = await fetch(`${rig.baseUrl}/events`, { headers: { Authorization: `Bearer ${key}` } });
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 50300 });
  await rig.report({ id: 'd2' });
  expect(listener.events).toEqual([]);
  rig.storeIsUnavailable = false;
  await listener.event('device.changed', ({ id }) => id === 'd1');
  await listener.event('device.changed', ({ id }) => id === 'd2');
  expect(listener.ended).toBeNull();
});

test('sends a reset to a client that resumes too far behind', async () => {
  await start({});
  const { key } = await rig.key();
  const before = await ready(await listen(key));
  await before[Symbol.asyncDispose]();
  await rig.report(...Array.from({ length: 300 }, (_, n) => ({ id: `d${n}` })));
  await using after = await listen(key, before.lastEventId!);
  await after.event('reset');
  await rig.report({ id: 'd0', name: 'new' });
  await after.event('device.changed', ({ name }) => name === 'new');
  expect(after.events.map(({ event }) => event).indexOf('reset')).toBe(0);
  expect(after.events.filter(({ event }) => event === 'reset')).toHaveLength(1);
});

test('admits 300 clients that reconnect at once, each with the events that it missed', async () => {
  await start({ maxListenersPerAccount: 1_000 });
  const { key } = await rig.key();
  const before = await ready(await listen(key));
  await before[Symbol.asyncDispose]();
  await rig.report({ id: 'd1' });
  const listeners = await Promise.all(Array.from({ length: 300 }, () => listen(key, before.lastEventId!)));
  for (const listener of listeners) await listener.event('device.changed');
  await rig.report({ id: 'd2' });
  for (const listener of listeners) await listener.event('device.changed', ({ id }) => id === 'd2');
  await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
});

test('admits many clients that connect at once without waiting for a change', async () => {
  await start({ pollMs: 600_000 });
  const { key } = await rig.key();
  const listeners = await Promise.all(Array.from({ length: 100 }, () => listen(key)));
  expect(new Set(listeners.map(({ status }) => status))).toEqual(new Set([200]));
  await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
});

test('disconnects a client that does not read, without delaying other clients', async () => {
  // The clock that measures how long a client has read nothing
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await start({ heartbeatMs: 100, stuckMs: 60_000, pollMs: 20 });
  const { key } = await rig.key();
  await using reader = await ready(await listen(key));
  const { port } = new URL(rig.baseUrl);
  const stuck: Socket = connect(Number(port), '127.0.0.1');
  const closed = new Promise<void>((resolve) => stuck.once('close', () => resolve()));
  stuck.on('error', () => {});
  stuck.write(`GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await new Promise((resolve) => stuck.once('data', resolve));
  stuck.pause();
  // Exceeds the capacity of the buffers at both ends of a connection
  const name = 'x'.repeat(30_000);
  for (let round = 0; round < 16; round += 1) {
    const last = `${round} ${name}`;
    await rig.report(...Array.from({ length: 50 }, (_, n) => ({ id: `d${n}`, name: last })));
    await reader.event('device.changed', (data) => data.id === 'd49' && data.name === last);
  }
  vi.advanceTimersByTime(61_000);
  await vi.waitFor(() => expect(rig.events.listening).toBe(1), WAIT);
  stuck.resume();
  await closed;
  expect(reader.ended).toBeNull();
});
