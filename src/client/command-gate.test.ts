import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandGate } from './command-gate.ts';

/** Longest delay before a trial: the backoff's upper limit. */
const MAX_DELAY_MS = 5_000;

let gate: CommandGate;
beforeEach(() => {
  vi.useFakeTimers();
  gate = new CommandGate();
});
afterEach(() => void vi.useRealTimers());

/** Starts commands that wait at the gate. `passed` counts those that it let through. */
function waiting(count: number, signal?: AbortSignal) {
  const state = { passed: 0, failures: [] as unknown[] };
  for (let i = 0; i < count; i += 1) {
    gate.pass(signal).then(
      () => {
        state.passed += 1;
      },
      (error: unknown) => {
        state.failures.push(error);
      },
    );
  }
  return state;
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test('holds commands until the phone is ready, then passes all of them', async () => {
  const commands = waiting(3);
  await vi.advanceTimersByTimeAsync(10 * MAX_DELAY_MS);
  expect(commands.passed).toBe(0);
  gate.open();
  await settled();
  expect(commands.passed).toBe(3);
});

test('tries one command at a time after a rejection, with growing delays', async () => {
  gate.open();
  gate.refuse();
  gate.refuse();
  const commands = waiting(100);
  const delays: number[] = [];
  for (let trial = 1; trial <= 6; trial += 1) {
    const before = performance.now();
    await vi.advanceTimersToNextTimerAsync();
    delays.push(performance.now() - before);
    expect(commands.passed).toBe(trial);
    gate.refuse();
  }
  expect(delays[0]).toBeGreaterThanOrEqual(125);
  expect(delays[5]).toBeGreaterThanOrEqual(2_500);
  gate.open();
  await settled();
  expect(commands.passed).toBe(100);
});

test('keeps the trial for the next command if a waiting command is aborted', async () => {
  gate.open();
  gate.refuse();
  const abort = new AbortController();
  const aborted = waiting(1, abort.signal);
  const other = waiting(1);
  abort.abort(new Error('aborted'));
  await vi.advanceTimersByTimeAsync(MAX_DELAY_MS);
  expect(aborted.failures).toMatchObject([{ message: 'aborted' }]);
  expect(other.passed).toBe(1);
});

test('starts no trial while the connection is lost', async () => {
  gate.open();
  gate.refuse();
  gate.close();
  const commands = waiting(1);
  await vi.advanceTimersByTimeAsync(10 * MAX_DELAY_MS);
  expect(commands.passed).toBe(0);
});

test('fails waiting and later commands with the error that ended the session', async () => {
  const end = new Error('the session has ended');
  const before = waiting(2);
  gate.end(end);
  gate.open();
  const after = waiting(1);
  await settled();
  expect([...before.failures, ...after.failures]).toEqual([end, end, end]);
});
