import { expect, test } from 'vitest';
import { freeOf, percentOf, totalsOf } from './totals.ts';

const hour = (at: number, inUse: number, offered: number, sampled = 60) => ({
  hour: `2026-11-21T${String(at).padStart(2, '0')}:00:00Z`,
  in_use_minutes: inUse,
  offered_minutes: offered,
  sampled_minutes: sampled,
});

test('sums up the hours and finds the busiest hours and those without samples', () => {
  const hours = [hour(1, 10, 240), hour(2, 120, 240, 30), hour(3, 50, 120, 5)];
  expect(totalsOf(hours)).toEqual({ inUse: 180, offered: 600, percent: 30, busiest: hours[1], gaps: 1 });
});

test('has no utilization if no phones were offered', () => {
  expect(totalsOf([])).toEqual({ inUse: 0, offered: 0, percent: null, busiest: null, gaps: 0 });
});

test('never shows more usage than capacity', () => {
  expect(percentOf(hour(1, 61, 60))).toBe(100);
  expect(freeOf(hour(1, 61, 60))).toBe(0);
});
