import { expect, test } from 'vitest';
import { Bell } from './bell.ts';

test('wakes when it is rung, or when the time is over', async () => {
  const bell = new Bell();
  const startedAt = performance.now();
  await bell.wait(20);
  expect(performance.now() - startedAt).toBeGreaterThan(15);
  const waiting = bell.wait(60_000);
  bell.ring();
  await waiting;
});

test('a ring while nobody waits is heard once by the next who does', async () => {
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
