import { expect, test } from 'vitest';
import { Notifier } from './notifier.ts';

test('wakes a waiter when it rings or on timeout', async () => {
  const notifier = new Notifier();
  const startedAt = performance.now();
  await notifier.wait(20);
  expect(performance.now() - startedAt).toBeGreaterThan(15);
  const waiting = notifier.wait(60_000);
  notifier.notify();
  await waiting;
});

test('keeps one notify for the next waiter', async () => {
  const notifier = new Notifier();
  notifier.notify();
  notifier.notify();
  await notifier.wait(60_000);
  let woken = false;
  const waiting = notifier.wait(60_000).then(() => {
    woken = true;
  });
  await new Promise(setImmediate);
  expect(woken).toBe(false);
  notifier.notify();
  await waiting;
});
