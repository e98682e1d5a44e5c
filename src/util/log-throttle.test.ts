import { expect, test } from 'vitest';
import { LogThrottle } from './log-throttle.ts';

test('passes one line per key and interval, with the number of suppressed lines', () => {
  let now = 0;
  const throttle = new LogThrottle({ intervalMs: 1_000, now: () => now });
  const lines: [string, number][] = [];
  const event = (key: string) => throttle.log(key, (suppressed) => lines.push([key, suppressed]));
  for (let n = 0; n < 5; n++) event('a');
  event('b');
  now = 999;
  event('a');
  now = 1_000;
  event('a');
  expect(lines).toEqual([
    ['a', 0],
    ['b', 0],
    ['a', 5],
  ]);
});

test('bounds the number of tracked keys', () => {
  const throttle = new LogThrottle({ intervalMs: 1_000, maxKeys: 2, now: () => 0 });
  const lines: string[] = [];
  for (const key of ['a', 'b', 'c', 'c', 'a']) throttle.log(key, () => lines.push(key));
  expect(lines).toEqual(['a', 'b', 'c', 'a']);
});
