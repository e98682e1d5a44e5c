import { expect, test } from 'vitest';
import { HOUR_MS, useByHour } from './utilisation.ts';

const MINUTE = 60_000;

test('counts the duration of sessions within one hour', () => {
  const group = { first: 10, last: 10, count: 2, beganAfterMs: 15 * MINUTE, endedAfterMs: 60 * MINUTE };
  expect([...useByHour([group], 0, 20)]).toEqual([[10, 45 * MINUTE]]);
});

test('splits a session across the hours that it spans', () => {
  const group = { first: 10, last: 13, count: 1, beganAfterMs: 50 * MINUTE, endedAfterMs: 5 * MINUTE };
  expect([...useByHour([group], 0, 20)]).toEqual([
    [10, 10 * MINUTE],
    [11, HOUR_MS],
    [12, HOUR_MS],
    [13, 5 * MINUTE],
  ]);
});

test('omits hours outside the requested range', () => {
  const group = { first: 1, last: 9, count: 3, beganAfterMs: MINUTE, endedAfterMs: MINUTE };
  expect([...useByHour([group], 4, 5)]).toEqual([
    [4, 3 * HOUR_MS],
    [5, 3 * HOUR_MS],
  ]);
});

test('adds up sessions that begin and end in the same hours', () => {
  const groups = [
    { first: 2, last: 2, count: 1, beganAfterMs: 0, endedAfterMs: MINUTE },
    { first: 1, last: 2, count: 1, beganAfterMs: 59 * MINUTE, endedAfterMs: 2 * MINUTE },
  ];
  expect(useByHour(groups, 2, 2)).toEqual(new Map([[2, 3 * MINUTE]]));
});
