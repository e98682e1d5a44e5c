import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { NewAuditEntry } from '../../store/audit/audit-store.ts';
import { silentLog } from '../../util/log.ts';
import { AuditTrail, type Occurrence } from './trail.ts';

/** In-memory store. A test can delay its writes or make them fail. */
function memoryStore() {
  const rows: (Omit<NewAuditEntry, 'agoMs'> & { at: number; id: string })[] = [];
  let gate: PromiseWithResolvers<void> | null = null;
  const store = {
    away: false,
    batches: 0,
    addAudit: async (notes: NewAuditEntry[]) => {
      store.batches += 1;
      if (store.away) throw new Error('store unavailable');
      await gate?.promise;
      const added = notes.map(({ agoMs, ...note }) => ({
        ...note,
        at: rows.length,
        id: `aud_${rows.length}`,
      }));
      for (const row of added) rows.push({ ...row, at: rows.length, id: `aud_${rows.length}` });
      return rows.slice(-notes.length).map(({ at, id }) => ({ at, id }));
    },
    countAudit: async (counts: { at: number; id: string; count: number }[]) => {
      if (store.away) throw new Error('store unavailable');
      for (const { id, count } of counts) rows.find((row) => row.id === id)!.count = count;
    },
  };
  const hold = () => {
    gate = Promise.withResolvers();
    return gate.resolve;
  };
  return { store, rows, hold };
}

const refused = (more: Partial<Occurrence> = {}): Occurrence => ({
  ...{ accountId: 'acc_1', keyId: 'key_1', action: 'devices.connect', address: '192.0.2.1' },
  ...{ code: 40003, targets: [], ...more },
});
const times = async (count: number, add: (at: number) => Promise<void>) => {
  for (let at = 0; at < count; at += 1) await add(at);
};

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

test('combines rejected requests of one key into one entry per operation, outcome and minute', async () => {
  const { store, rows } = memoryStore();
  const trail = new AuditTrail(store, silentLog);
  await times(1_000, () => trail.add(refused()));
  await times(3, () => trail.add(refused({ code: 40000 })));
  await trail.add(refused({ action: 'keys.create' }));
  await trail.add(refused({ keyId: 'key_2' }));
  expect(rows).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(rows.map(({ count }) => count)).toEqual([1_000, 3, 1, 1]);
  await vi.advanceTimersByTimeAsync(60_000);
  await trail.add(refused());
  expect(rows).toHaveLength(5);
  await trail[Symbol.asyncDispose]();
});

test('writes the counts that are still in memory when it closes', async () => {
  const { store, rows } = memoryStore();
  const trail = new AuditTrail(store, silentLog);
  await times(7, () => trail.add(refused()));
  await trail[Symbol.asyncDispose]();
  expect(rows.map(({ count }) => count)).toEqual([7]);
});

test('writes separate entries for commands to different phones', async () => {
  const { store, rows } = memoryStore();
  await using trail = new AuditTrail(store, silentLog);
  const shell = (subject: string) => trail.add(refused({ action: 'control.shell', code: 0, subject }));
  await shell('ses_1');
  await shell('ses_1');
  await shell('ses_2');
  expect(rows).toHaveLength(2);
  expect(rows[0]).not.toHaveProperty('subject');
});

test('counts failed authentications by address, and those from excess addresses together', async () => {
  const { store, rows } = memoryStore();
  const trail = new AuditTrail(store, silentLog);
  await times(1_000, (at) =>
    trail.authenticationFailed({ action: 'devices.list', address: `192.0.2.${at % 500}` }),
  );
  await trail[Symbol.asyncDispose]();
  expect(rows).toHaveLength(61);
  expect(rows[0]).toMatchObject({
    accountId: null,
    keyId: null,
    address: '192.0.2.0',
    code: 40001,
    count: 2,
  });
  expect(rows.at(-1)).toMatchObject({ address: null, count: 880 });
});

test('does not let one account use up the share of the others', async () => {
  const { store, rows } = memoryStore();
  const trail = new AuditTrail(store, silentLog);
  await times(500, (at) => trail.add(refused({ keyId: `key_${at}` })));
  await trail.add(refused({ accountId: 'acc_2', keyId: 'key_other' }));
  await trail[Symbol.asyncDispose]();
  const own = rows.filter(({ accountId }) => accountId === 'acc_1');
  expect(own).toHaveLength(51);
  expect(own.at(-1)).toMatchObject({ keyId: null, address: null, count: 450 });
  expect(rows.at(-1)).toMatchObject({ accountId: 'acc_2', keyId: 'key_other', count: 1 });
});

test('delays an answer until its entry is written, for at most two seconds', async () => {
  const { store, rows, hold } = memoryStore();
  const release = hold();
  const trail = new AuditTrail(store, silentLog);
  const answered = vi.fn();
  const adding = trail.add(refused()).then(answered);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(answered).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(answered).toHaveBeenCalled();
  release();
  await adding;
  await trail[Symbol.asyncDispose]();
  expect(rows).toHaveLength(1);
});

test('batches entries that arrive during a write into the next statement', async () => {
  const { store, rows, hold } = memoryStore();
  const release = hold();
  const trail = new AuditTrail(store, silentLog);
  const adding = ['one', 'two', 'three'].map((action) => trail.add(refused({ action })));
  release();
  await Promise.all(adding);
  expect({ batches: store.batches, rows: rows.length }).toEqual({ batches: 2, rows: 3 });
  await trail[Symbol.asyncDispose]();
});

test('does not delay answers while the store is unavailable, and loses no entry', async () => {
  const { store, rows } = memoryStore();
  const trail = new AuditTrail(store, silentLog);
  store.away = true;
  await times(5, () => trail.add(refused()));
  await vi.advanceTimersByTimeAsync(120_000);
  await trail.add(refused());
  store.away = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(rows.map(({ count }) => count)).toEqual([6]);
  await trail[Symbol.asyncDispose]();
});

test('bounds the entries in memory and logs how many occurrences were lost', async () => {
  const { store, rows } = memoryStore();
  const error = vi.fn();
  const trail = new AuditTrail(store, { ...silentLog, error });
  store.away = true;
  await Promise.all(
    Array.from({ length: 10_007 }, (_, at) => trail.add(refused({ accountId: `acc_${at}`, keyId: 'k' }))),
  );
  store.away = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(rows).toHaveLength(10_000);
  expect(error).toHaveBeenCalledWith({ lost: 7 }, expect.any(String));
  await trail[Symbol.asyncDispose]();
});
