import { expect, test } from 'vitest';
import { Bell } from './bell.ts';

test('wakes a waiter when it rings or on timeout', async () => {
  const bell = new Bell();
  const startedAt = performance.now();
  await bell.wait(20);
  expect(performance.now() - startedAt).toBeGreaterThan(15);
  const waiting = bell.wait(60_000);
  bell.ring();
  await waiting;
});

test('keeps one ring for the next waiter', async () => {
  const bell = new Bell();
  bell.ring();
  bell.ring();
  await bell.wait(60_000);
  let woken = false;
  const waiting = bell.wait(60_000).then(() => {
    woken = true;
  });
  await new Promise(setImmediate);
  expect(woken).toBe(false);
  bell.ring();
  await waiting;
});
