import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedTimer } from '../util/shared-timer.ts';
import { ExpiryWarnings } from './expiry-warnings.ts';

const newTimer = () => new SharedTimer<ExpiryWarnings>((warnings) => warnings.fire());

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('warns five minutes, one minute and ten seconds before the end', () => {
  const warned: [number, number][] = [];
  const started = Date.now();
  const warnings = new ExpiryWarnings(newTimer(), (seconds) => warned.push([seconds, Date.now() - started]));
  warnings.arm(600_000);
  vi.advanceTimersByTime(600_000);
  expect(warned).toEqual([
    [300, 300_000],
    [60, 540_000],
    [10, 590_000],
  ]);
});

test('skips warnings that are already past and replaces pending ones when armed again', () => {
  const warned: number[] = [];
  const warnings = new ExpiryWarnings(newTimer(), (seconds) => warned.push(seconds));
  warnings.arm(61_000);
  vi.advanceTimersByTime(2000);
  expect(warned).toEqual([60]);
  warnings.arm(400_000);
  vi.advanceTimersByTime(99_000);
  expect(warned).toEqual([60]);
  vi.advanceTimersByTime(1000);
  expect(warned).toEqual([60, 300]);
  warnings.clear();
  vi.advanceTimersByTime(400_000);
  expect(warned).toEqual([60, 300]);
});
