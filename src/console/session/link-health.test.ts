import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DEAD_TICKS, LinkHealth, SILENT_TICKS } from './link-health.ts';

const TICK_MS = 500;
let answers: (() => void)[] = [];
let isHidden = false;
const silent: boolean[] = [];
const onDead = vi.fn();
let health: LinkHealth;

const answer = async () => {
  for (const resolve of answers.splice(0)) resolve();
  await vi.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  vi.useFakeTimers();
  answers = [];
  isHidden = false;
  silent.length = 0;
  onDead.mockClear();
  health = new LinkHealth({
    ping: () => new Promise<void>((resolve) => answers.push(resolve)),
    onSilent: (value) => silent.push(value),
    onDead,
    isHidden: () => isHidden,
  });
  health.start();
});
afterEach(() => {
  health.stop();
  vi.useRealTimers();
});

test('reports a connection that stops answering within 3 s, and that it answers again', async () => {
  await answer();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(answers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(SILENT_TICKS * TICK_MS);
  expect(silent).toEqual([true]);
  expect(health.roundTripMs).toBeNull();
  await answer();
  expect(silent).toEqual([true, false]);
  expect(health.roundTripMs).toBeGreaterThan(0);
});

test('stays quiet while every ping is answered', async () => {
  for (let second = 0; second < 30; second += 1) {
    await answer();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(silent).toEqual([]);
});

test('asks once to replace a connection that stays silent', async () => {
  await vi.advanceTimersByTimeAsync((DEAD_TICKS - 1) * TICK_MS);
  expect(onDead).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10 * TICK_MS);
  expect(onDead).toHaveBeenCalledTimes(1);
});

test('does not blame the connection for the time in which the page was stopped or hidden', async () => {
  vi.setSystemTime(Date.now() + 60_000);
  await vi.advanceTimersByTimeAsync(TICK_MS);
  expect(silent).toEqual([]);
  isHidden = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(silent).toEqual([]);
});

test('is silent at once when the network is down, until an answer arrives', async () => {
  await answer();
  health.doubt();
  expect(silent).toEqual([true]);
  await answer();
  expect(silent).toEqual([true, false]);
});

test('ignores the answer to a ping of an earlier connection', async () => {
  const [late] = answers.splice(0);
  health.start();
  await vi.advanceTimersByTimeAsync(SILENT_TICKS * TICK_MS);
  late!();
  await vi.advanceTimersByTimeAsync(0);
  expect(silent).toEqual([true]);
});
