import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../util/log.ts';
import { renewCertificates } from './renew-certificates.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('uses a changed certificate from then on, and retries one that cannot be used', async () => {
  let there = { key: 'k1', cert: 'c1' };
  const used: string[] = [];
  const errors: string[] = [];
  using _ = renewCertificates({
    current: there,
    read: async () => there,
    apply: ({ cert }) => {
      if (cert === 'broken') throw new Error('key and certificate do not match');
      used.push(cert);
    },
    log: { ...silentLog, error: (_fields, message) => void errors.push(message) },
  });
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(used).toEqual([]);
  there = { key: 'k2', cert: 'broken' };
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(errors).toHaveLength(1);
  there = { key: 'k2', cert: 'c2' };
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(used).toEqual(['c2']);
});
