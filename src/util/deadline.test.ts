import { expect, test } from 'vitest';
import { runInTime, startDeadline, TimeoutError, withDeadline } from './deadline.ts';

test('rejects a promise that takes too long with an error that names the operation and the time limit', async () => {
  const never = new Promise<never>(() => {});
  const late = withDeadline(never, 10, 'the database did not answer');
  await expect(late).rejects.toThrow(new TimeoutError('timed out after 0.01 s: the database did not answer'));
  await expect(late).rejects.toBeInstanceOf(TimeoutError);
});

test('preserves the outcome of a promise that settles in time', async () => {
  expect(await withDeadline(Promise.resolve(1), 1_000, 'it did not settle')).toBe(1);
  const failure = new Error('refused');
  await expect(withDeadline(Promise.reject(failure), 1_000, 'it did not settle')).rejects.toBe(failure);
});

const standStill = (ms: number) => {
  for (const until = performance.now() + ms; performance.now() < until; );
};

test('takes an answer that arrived while the process stood still', async () => {
  // The event loop runs immediates after the timers that are due, and before later ones
  const answer = new Promise<string>((resolve) => setImmediate(resolve, 'arrived'));
  const inTime = withDeadline(answer, 50, 'the answer did not arrive');
  standStill(600);
  expect(await inTime).toBe('arrived');
});

test('extends a deadline after a stand-still once, by at most its own length', async () => {
  const late = Promise.withResolvers<number>();
  startDeadline(50, () => late.resolve(performance.now()));
  standStill(600);
  const resumedAt = performance.now();
  const afterMs = (await late.promise) - resumedAt;
  expect(afterMs).toBeGreaterThanOrEqual(45);
});

test('aborts an operation that takes too long, or with the given signal', async () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const { signal: never } = new AbortController();
  await expect(runInTime(10, never, untilAborted)).rejects.toThrow(
    new TimeoutError('timed out after 0.01 s'),
  );
  const stopping = new AbortController();
  const stopped = runInTime(60_000, stopping.signal, untilAborted);
  stopping.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
});
