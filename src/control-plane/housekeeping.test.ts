import { expect, test, vi } from 'vitest';
import { silentLog } from '../util/log.ts';
import { runHousekeeping } from './housekeeping.ts';

test('samples, sweeps until nothing is left, and continues after an outage', async () => {
  const stopping = new AbortController();
  const swept = [200, 200, 3, 0];
  const bounded = [2_000, 7];
  const store = {
    sampleFleet: vi.fn(async () => {
      if (store.sampleFleet.mock.calls.length === 1) throw new Error('store unavailable');
    }),
    boundAudit: vi.fn(async () => bounded.shift() ?? 0),
    sweepKeys: vi.fn(async (_: { olderThanMs: number; limit: number }) => 0),
    sweepAudit: vi.fn(async (_: { olderThanMs: number; limit: number }) => swept.shift() ?? 0),
  };
  const error = vi.fn();
  const running = runHousekeeping({ store: store as never, log: { ...silentLog, error } }, stopping.signal, {
    auditDays: 30,
    auditMaxEntries: 5_000,
    intervalMs: 2,
  });
  await vi.waitFor(() => expect(swept).toEqual([]), { timeout: 60_000 });
  stopping.abort();
  await running;
  expect(error).toHaveBeenCalledTimes(1);
  for (const sweep of [store.sweepAudit, store.sweepKeys])
    expect(sweep).toHaveBeenCalledWith({ olderThanMs: 30 * 86_400_000, limit: 200 });
  expect(store.boundAudit.mock.calls).toEqual(Array(2).fill([{ maxEntries: 5_000, limit: 2_000 }]));
  expect(store.sampleFleet.mock.calls.length).toBeGreaterThanOrEqual(store.sweepAudit.mock.calls.length);
});
