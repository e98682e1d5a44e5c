import { setTimeout as delay } from 'node:timers/promises';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ApiContext } from '../implement.ts';

const INTERVAL_MS = 10_000;
/** Who was away for longer reads the lists again. */
const MAX_AGE_MS = 24 * 3_600_000;
const MAX_COUNT = 100_000;
/** The most that one look removes; a full one is followed by the next at once. */
const BATCH = 5_000;

/** Keeps the log of events bounded. It runs in every api process; one at a time finds something to do. */
export async function runEventTrimmer(
  { store, log }: Pick<ApiContext, 'store' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const removed = await store
      .trimEvents({ maxAgeMs: MAX_AGE_MS, maxCount: MAX_COUNT, limit: BATCH })
      .catch((error: unknown) => {
        logUnlessOutage(log, 'error', { err: error }, 'old events could not be removed; it is tried again');
        return 0;
      });
    if (removed < BATCH) await delay(INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}
