import { expect, test } from 'vitest';
import { GIVE_UP_AFTER_MS, MAX_ATTEMPTS, reasonToGiveUp, retryDelayMs } from './webhook-retries.ts';

const HOUR = 3_600_000;
const waits = (chance: number) =>
  Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => retryDelayMs(index + 1, chance)!);

test('eight attempts, the second after 5 s, each wait five times the one before, over about a day', () => {
  expect(waits(0.5)).toEqual([5_000, 25_000, 125_000, 625_000, 3_125_000, 15_625_000, 78_125_000]);
  const total = waits(0.5).reduce((sum, wait) => sum + wait, 0);
  expect(total / HOUR).toBeGreaterThan(24);
  expect(total / HOUR).toBeLessThan(30);
  expect(retryDelayMs(MAX_ATTEMPTS, 0.5)).toBeNull();
  expect(retryDelayMs(MAX_ATTEMPTS + 1, 0.5)).toBeNull();
});

test('chance moves a wait by a fifth at the most, and never past the next', () => {
  expect(retryDelayMs(1, 0)).toBe(4_000);
  expect(retryDelayMs(1, 1)).toBe(6_000);
  for (const [index, wait] of waits(1).slice(0, -1).entries())
    expect(wait).toBeLessThan(waits(0)[index + 1]!);
});

test('a receiver is given up when it says so, or when nothing came through for days', () => {
  expect(reasonToGiveUp({ status: 500, failingForMs: GIVE_UP_AFTER_MS - 1 })).toBeNull();
  expect(reasonToGiveUp({ status: null, failingForMs: 0 })).toBeNull();
  expect(reasonToGiveUp({ status: 410, failingForMs: 0 })).toContain('410');
  expect(reasonToGiveUp({ status: null, failingForMs: GIVE_UP_AFTER_MS })).toContain('5 days');
});
