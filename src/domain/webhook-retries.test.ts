import { expect, test } from 'vitest';
import { GIVE_UP_AFTER_MS, MAX_ATTEMPTS, reasonToGiveUp, retryDelayMs } from './webhook-retries.ts';

const HOUR = 3_600_000;
const waits = (chance: number) =>
  Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => retryDelayMs(index + 1, chance)!);

test('makes eight attempts over about a day, the second after 5 s, with delays that grow by a factor of five', () => {
  expect(waits(0.5)).toEqual([5_000, 25_000, 125_000, 625_000, 3_125_000, 15_625_000, 78_125_000]);
  const total = waits(0.5).reduce((sum, wait) => sum + wait, 0);
  expect(total / HOUR).toBeGreaterThan(24);
  expect(total / HOUR).toBeLessThan(30);
  expect(retryDelayMs(MAX_ATTEMPTS, 0.5)).toBeNull();
  expect(retryDelayMs(MAX_ATTEMPTS + 1, 0.5)).toBeNull();
});

test('applies a jitter of at most a fifth that never reaches the next delay', () => {
  expect(retryDelayMs(1, 0)).toBe(4_000);
  expect(retryDelayMs(1, 1)).toBe(6_000);
  for (const [index, wait] of waits(1).slice(0, -1).entries())
    expect(wait).toBeLessThan(waits(0)[index + 1]!);
});

test('gives up on a receiver that answers 410, or after days without a successful delivery', () => {
  expect(reasonToGiveUp({ status: 500, failingForMs: GIVE_UP_AFTER_MS - 1 })).toBeNull();
  expect(reasonToGiveUp({ status: null, failingForMs: 0 })).toBeNull();
  expect(reasonToGiveUp({ status: 410, failingForMs: 0 })).toContain('410');
  expect(reasonToGiveUp({ status: null, failingForMs: GIVE_UP_AFTER_MS })).toContain('5 days');
});
