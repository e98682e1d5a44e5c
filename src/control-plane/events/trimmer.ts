import type { ControlPlaneContext } from '../context.ts';
import { runPeriodically } from '../periodic.ts';

const INTERVAL_MS = 10_000;
/** A client that was disconnected for longer than this must read the lists again. */
const MAX_AGE_MS = 24 * 3_600_000;
const MAX_COUNT = 100_000;
/** Maximum number of events removed per run. After a full batch the next run follows immediately. */
const BATCH = 5_000;

/**
 * Limits the size of the event log. It runs in every api process; a run after another process's finds nothing to
 * remove.
 */
export function runEventTrimmer(
  { store, log }: Pick<ControlPlaneContext, 'store' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  return runPeriodically(log, signal, {
    intervalMs: INTERVAL_MS,
    failure: 'old events could not be removed; retrying',
    run: async () =>
      (await store.trimEvents({ maxAgeMs: MAX_AGE_MS, maxCount: MAX_COUNT, limit: BATCH })) >= BATCH,
  });
}
