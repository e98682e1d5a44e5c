import { expect, test } from 'vitest';
import { TimeoutError, withDeadline } from './deadline.ts';

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
