import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeldCommands } from './held-commands.ts';

let held: HeldCommands;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  held = new HeldCommands();
});
afterEach(() => vi.useRealTimers());

/** Records the outcome of a held command in `log`. */
function watched(log: string[], name: string, bytes = 10): void {
  held.hold(bytes).then(
    () => log.push(`${name} went`),
    (error: { code: number }) => log.push(`${name} ${error.code}`),
  );
}

test('releases commands in order when the phone is ready', async () => {
  const log: string[] = [];
  watched(log, 'one');
  watched(log, 'two');
  await vi.advanceTimersByTimeAsync(1_900);
  held.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toEqual(['one went', 'two went']);
  expect(held.isEmpty).toBe(true);
});

test('holds a command for at most two seconds', async () => {
  const log: string[] = [];
  watched(log, 'one');
  await vi.advanceTimersByTimeAsync(1_000);
  watched(log, 'two');
  await vi.advanceTimersByTimeAsync(1_010);
  expect(log).toEqual(['one -32003']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(log).toEqual(['one -32003', 'two -32003']);
});

test('bounds the number and the size of held commands', () => {
  for (let at = 0; at < 64; at += 1) void held.hold(1).catch(() => {});
  expect(() => held.hold(1)).toThrow('too many commands');
  held.drop('the client disconnected');
  void held.hold(256 * 1024).catch(() => {});
  expect(() => held.hold(1)).toThrow('too many commands');
  held.drop('the client disconnected');
});
