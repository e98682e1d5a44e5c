import { expect, test } from 'vitest';
import { ListeningTime } from './listening-time.ts';

const PERIOD = 10_000;

/** Samples once a second, and returns what the last sample said. */
function world() {
  const clocks = { steady: 0, store: 1_000_000 };
  const listening = new ListeningTime(2_000, () => clocks.steady);
  const sample = (steadyMs = 1_000, storeMs = steadyMs) => {
    clocks.steady += steadyMs;
    clocks.store += storeMs;
    return listening.spanOf(PERIOD, clocks.store);
  };
  const run = (seconds: number) => Array.from({ length: seconds }, () => sample()).at(-1)!;
  return { listening, sample, run };
}

test('gives the period as soon as it has passed, and no longer time while the process runs', () => {
  const { run, sample } = world();
  expect(run(10)).toBeNull();
  for (let n = 0; n < 100; n++) expect(sample(1_000 + 10 * n)).toBe(PERIOD);
});

test('adds the times of several short stand-stills, which no host can fill with a report', () => {
  const { run, sample } = world();
  run(20);
  expect(sample(5_500)).toBe(PERIOD + 3_500);
  expect(sample(1_000)).toBe(PERIOD + 3_500);
  expect(sample(5_500)).toBe(PERIOD + 7_000);
  // As long as the stand-stills are part of the time
  expect(run(5)).toBe(PERIOD + 7_000);
  expect(run(10)).toBe(PERIOD);
});

test.each([
  ['stopped', [30_000, 30_000]],
  ['on a machine that slept, whose steady clock stopped', [1_000, 30_000]],
  ['without a database, whose clock stopped', [30_000, 1_000]],
] as const)('begins again after the process was %s', (_, [steady, store]) => {
  const { run, sample } = world();
  expect(run(20)).toBe(PERIOD);
  expect(sample(steady, store)).toBeNull();
  expect(run(9)).toBeNull();
  expect(run(1)).toBe(PERIOD);
});

test('begins again after a reset', () => {
  const { listening, run } = world();
  expect(run(20)).toBe(PERIOD);
  listening.reset();
  expect(run(10)).toBeNull();
  expect(run(1)).toBe(PERIOD);
});

test('keeps few samples', () => {
  const { listening, run } = world();
  run(1_000);
  expect(Object.values(listening).find(Array.isArray)).toHaveLength(11);
});

test('does not count time twice when the store’s clock is set back', () => {
  const { run, sample } = world();
  expect(run(20)).toBe(PERIOD);
  expect(sample(1_000, -60_000)).toBeLessThanOrEqual(PERIOD);
});

test('returns whole milliseconds, and never less than the period, however the clocks differ', () => {
  const { run, sample } = world();
  run(20);
  const spans = Array.from({ length: 100 }, (_, n) => sample(1_000.123 + (n % 7) * 10, 1_000 + (n % 5) * 10));
  for (const span of spans) {
    expect(span! % 1).toBe(0);
    expect(span).toBeGreaterThanOrEqual(PERIOD);
    expect(span).toBeLessThan(PERIOD + 1_000);
  }
});
