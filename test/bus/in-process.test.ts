import { expect, test } from 'vitest';
import { ANY_ADDRESS } from '../../src/bus/bus.ts';
import { InProcessBus } from '../../src/bus/in-process.ts';
import { until } from '../gateway/client.ts';
import { busSuite } from './bus-suite.ts';
import { changed } from './samples.ts';

busSuite('in process', async () => {
  const bus = new InProcessBus();
  return { near: bus, far: bus, settled: async () => {} };
});

test('drops the oldest messages of a subscriber that exceeds its limit, and counts them', async () => {
  await using bus = new InProcessBus({ maxPending: 3 });
  const got: string[] = [];
  bus.subscribe('session.changed', (message) => got.push(message.sessionId));
  for (const id of ['a', 'b', 'c', 'd', 'e']) bus.publish('session.changed', changed(id));
  await until(() => expect(got).toEqual(['c', 'd', 'e']));
  expect(bus.dropped).toBe(2);
});

test('bounds the pending requests', async () => {
  await using bus = new InProcessBus({ maxRequests: 1 });
  bus.serve('control-plane.ended', ANY_ADDRESS, async () => ({}));
  const end = () =>
    bus.request(
      'control-plane.ended',
      'h1',
      { sessionId: 's', epoch: 1, reason: 'device_lost', detail: null },
      { timeoutMs: 60_000 },
    );
  const first = end();
  await expect(end()).rejects.toMatchObject({ kind: 'failed' });
  await expect(first).resolves.toEqual({});
  await expect(end()).resolves.toEqual({});
});

test('delivers a message that a handler publishes in a later turn, so that delivery always ends', async () => {
  await using bus = new InProcessBus();
  let count = 0;
  const subscription = bus.subscribe('session.changed', (message) => {
    count += 1;
    bus.publish('session.changed', message);
  });
  bus.publish('session.changed', changed('s'));
  await until(() => expect(count).toBeGreaterThan(3));
  subscription.close();
});
