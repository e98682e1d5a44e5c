import { expect, test } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

test('allows a burst, then enforces the rate, and accumulates at most one burst during a pause', () => {
  let now = 0;
  const bucket = new TokenBucket({ perSecond: 10, burst: 3, now: () => now });
  const takeAll = () => {
    let count = 0;
    while (bucket.take()) count += 1;
    return count;
  };
  expect(takeAll()).toBe(3);
  now = 100;
  expect(takeAll()).toBe(1);
  now = 350;
  expect(takeAll()).toBe(2);
  now = 60_000;
  expect(takeAll()).toBe(3);
});

test('treats requests admitted elsewhere as debt that is paid off first', () => {
  let now = 0;
  const bucket = new TokenBucket({ perSecond: 10, burst: 3, now: () => now });
  bucket.spend(5);
  expect([bucket.take(), bucket.left, bucket.secondsUntil(1)]).toEqual([false, 0, 0.3]);
  now = 299;
  expect(bucket.take()).toBe(false);
  now = 301;
  expect([bucket.left, bucket.take(), bucket.take()]).toEqual([1, true, false]);
  now = 60_000;
  expect([bucket.left, bucket.secondsUntil(3)]).toEqual([3, 0]);
});
