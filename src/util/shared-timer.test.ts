import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SharedTimer } from './shared-timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function recording() {
  const due: [string, number][] = [];
  const started = Date.now();
  const timer = new SharedTimer<{ name: string }>(({ name }) => due.push([name, Date.now() - started]));
  return { timer, due };
}

test('calls each item at its own time, in any order of setting them, with one timer', () => {
  const { timer, due } = recording();
  timer.set({ name: 'late' }, 3_000);
  timer.set({ name: 'early' }, 1_000);
  timer.set({ name: 'past' }, -5);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(due.map(([name]) => name)).toEqual(['past', 'early', 'late']);
  expect(due[1]![1]).toBe(1_000);
  expect(due[2]![1]).toBe(3_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('replaces the time of an item and drops deleted ones', () => {
  const { timer, due } = recording();
  const [one, other] = [{ name: 'one' }, { name: 'other' }];
  timer.set(one, 1_000);
  timer.set(other, 1_500);
  timer.set(one, 2_000);
  timer.delete(other);
  vi.advanceTimersByTime(10_000);
  expect(due).toEqual([['one', 2_000]]);
  timer.set(one, 1_000);
  timer.delete(one);
  expect(vi.getTimerCount()).toBe(0);
});

test('an item may set itself again when it is due, and waits longer than one timer can', () => {
  const { timer, due } = recording();
  const month = 30 * 24 * 60 * 60 * 1_000;
  timer.set({ name: 'monthly' }, month);
  vi.advanceTimersByTime(month - 1);
  expect(due).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(due).toEqual([['monthly', month]]);
});

test('an item that is due may delete or postpone others that are due at the same time', () => {
  const calls: string[] = [];
  const items = ['first', 'deleted', 'postponed', 'last'].map((name) => ({ name }));
  const timer = new SharedTimer<{ name: string }>(({ name }) => {
    calls.push(name);
    if (name !== 'first') return;
    timer.delete(items[1]!);
    timer.set(items[2]!, 500);
  });
  for (const item of items) timer.set(item, 1_000);
  vi.advanceTimersByTime(1_499);
  expect(calls).toEqual(['first', 'last']);
  vi.advanceTimersByTime(1);
  expect(calls).toEqual(['first', 'last', 'postponed']);
  expect(vi.getTimerCount()).toBe(0);
});

test('no item is called after all were deleted, also not those that were due at the same time', () => {
  const calls: string[] = [];
  const timer = new SharedTimer<{ name: string }>(({ name }) => {
    calls.push(name);
    timer.clear();
  });
  for (const name of ['first', 'second']) timer.set({ name }, 1_000);
  vi.advanceTimersByTime(5_000);
  expect(calls).toEqual(['first']);
  expect(vi.getTimerCount()).toBe(0);
});
