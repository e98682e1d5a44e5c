import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GrantWatch } from './grant-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Opens a watch on a store in which all grants except those in `invalid` are valid. */
function open() {
  const invalid = new Set<string>();
  const reads: string[][] = [];
  const store = { away: false };
  const onError = vi.fn();
  const watch = new GrantWatch({
    readValid: async (grantIds) => {
      reads.push(grantIds);
      if (store.away) throw new Error('store unavailable');
      return grantIds.filter((id) => !invalid.has(id));
    },
    onError,
  });
  return { watch, invalid, reads, store, onError };
}

const second = () => vi.advanceTimersByTimeAsync(1_000);

test('notifies each holder of a grant once when it becomes invalid, and no other holder', async () => {
  const { watch, invalid } = open();
  const notified: string[] = [];
  watch.watch('key_1', () => notified.push('one'));
  watch.watch('key_1', () => notified.push('two'));
  watch.watch('key_2', () => notified.push('other'));
  await second();
  expect(notified).toEqual([]);
  invalid.add('key_1');
  await second();
  await second();
  expect(notified).toEqual(['one', 'two']);
  watch[Symbol.dispose]();
});

test('neither notifies a closed holder nor queries its grant', async () => {
  const { watch, invalid, reads } = open();
  const onInvalid = vi.fn();
  watch.watch('key_1', onInvalid);
  watch.watch('key_1', () => {});
  watch.unwatch('key_1', onInvalid);
  await second();
  expect(reads).toEqual([['key_1']]);
  invalid.add('key_1');
  await second();
  expect(onInvalid).not.toHaveBeenCalled();
  await second();
  expect(reads).toHaveLength(2);
  watch.unwatch('key_1', onInvalid);
  watch[Symbol.dispose]();
});

test('notifies no holder during a store outage and reports the outage once', async () => {
  const { watch, invalid, store, onError } = open();
  const onInvalid = vi.fn();
  watch.watch('key_1', onInvalid);
  invalid.add('key_1');
  store.away = true;
  await second();
  await second();
  expect(onInvalid).not.toHaveBeenCalled();
  expect(onError).toHaveBeenCalledTimes(1);
  store.away = false;
  await second();
  expect(onInvalid).toHaveBeenCalledTimes(1);
  watch[Symbol.dispose]();
});
