import { expect, test, vi } from 'vitest';
import type { AuditNote } from '../../../store/admin-store.ts';
import { silentLog } from '../../../util/log.ts';
import { AuditTrail } from './trail.ts';

const event = (action: string) => ({
  accountId: null,
  keyId: null,
  action,
  address: '192.0.2.1',
  code: 0,
  targets: [],
});

/** A store that writes when it is told to, or fails. */
function slowStore() {
  const batches: string[][] = [];
  let write: PromiseWithResolvers<void> | null = null;
  const store = {
    away: false,
    addAudit: async (notes: AuditNote[]) => {
      if (store.away) throw new Error('the store is out of reach');
      batches.push(notes.map(({ action }) => action));
      write = Promise.withResolvers();
      await write.promise;
    },
  };
  return { store, batches, finish: () => write!.resolve() };
}

const isSettled = async (promise: Promise<unknown>) => {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

test('an answer waits until its entry is written; what comes meanwhile shares the next statement', async () => {
  const { store, batches, finish } = slowStore();
  await using trail = new AuditTrail(store, silentLog);
  const one = trail.add(event('one'));
  const others = [trail.add(event('two')), trail.add(event('three'))];
  expect(batches).toEqual([['one']]);
  expect(await isSettled(one)).toBe(false);
  finish();
  await one;
  expect(batches).toEqual([['one'], ['two', 'three']]);
  expect(await isSettled(others[0]!)).toBe(false);
  finish();
  await Promise.all(others);
});

test('while the store is away answers do not wait, and nothing is forgotten', async () => {
  vi.useFakeTimers();
  try {
    const { store, batches, finish } = slowStore();
    const trail = new AuditTrail(store, silentLog);
    store.away = true;
    await Promise.all([trail.add(event('one')), trail.add(event('two'))]);
    store.away = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(batches).toEqual([['one', 'two']]);
    finish();
    await trail[Symbol.asyncDispose]();
  } finally {
    vi.useRealTimers();
  }
});

test('an answer waits two seconds at the most', async () => {
  vi.useFakeTimers();
  try {
    const { store, finish } = slowStore();
    const trail = new AuditTrail(store, silentLog);
    const added = vi.fn();
    const adding = trail.add(event('one')).then(added);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(added).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(added).toHaveBeenCalled();
    await adding;
    finish();
    await trail[Symbol.asyncDispose]();
  } finally {
    vi.useRealTimers();
  }
});

test('so many entries wait, and no more; the log says how many were lost', async () => {
  const { store, batches, finish } = slowStore();
  const error = vi.fn();
  const trail = new AuditTrail(store, { ...silentLog, error });
  store.away = true;
  await Promise.all(Array.from({ length: 10_007 }, () => trail.add(event('x'))));
  store.away = false;
  const closing = trail[Symbol.asyncDispose]();
  await vi.waitFor(
    () => {
      finish();
      expect(batches.flat()).toHaveLength(10_000);
    },
    { interval: 1, timeout: 5_000 },
  );
  finish();
  await closing;
  expect(error).toHaveBeenCalledWith({ lost: 7 }, expect.any(String));
});

test('closing writes what waits, and gives up on a store that is away', async () => {
  const { store, batches, finish } = slowStore();
  const error = vi.fn();
  const trail = new AuditTrail(store, { ...silentLog, error });
  const adding = trail.add(event('one'));
  const closing = trail[Symbol.asyncDispose]();
  expect(await isSettled(closing)).toBe(false);
  finish();
  await Promise.all([adding, closing]);
  expect(batches).toEqual([['one']]);
  expect(error).not.toHaveBeenCalled();

  const late = new AuditTrail(store, { ...silentLog, error });
  store.away = true;
  await late.add(event('two'));
  await late[Symbol.asyncDispose]();
  expect(error).toHaveBeenCalledWith({ unwritten: 1 }, expect.any(String));
});
