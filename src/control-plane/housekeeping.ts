import type { ControlPlaneContext } from './context.ts';
import { runPeriodically } from './periodic.ts';

/**
 * The loop runs several times a minute, so that no minute is left without a sample. Only the first run in a minute
 * writes one.
 */
const INTERVAL_MS = 15_000;
const DAY_MS = 86_400_000;
/** Maximum number of entries removed per run. It costs the store only a fraction of a second. */
const SWEEP = 200;
/** Interval at which the entries are counted, and the number removed per batch when there are too many. */
const BOUND_EVERY_MS = 600_000;
const BOUND = 2_000;

type HousekeepingContext = Pick<ControlPlaneContext, 'store' | 'log'>;

interface HousekeepingOptions {
  auditDays: number;
  auditMaxEntries: number;
  intervalMs?: number;
}

/**
 * Samples how many phones are offered, and removes audit entries that are too old or too many, and keys that ended
 * long ago. It runs in every api process.
 */
export async function runHousekeeping(
  { store, log }: HousekeepingContext,
  signal: AbortSignal,
  { auditDays, auditMaxEntries, intervalMs = INTERVAL_MS }: HousekeepingOptions,
): Promise<void> {
  let boundAt = Number.NEGATIVE_INFINITY;
  const run = async () => {
    await store.sampleFleet();
    const old = { olderThanMs: auditDays * DAY_MS, limit: SWEEP };
    let isMore = (await store.sweepAudit(old)) >= SWEEP;
    // Entries that name such a key have been removed from the trail by then.
    isMore = (await store.sweepKeys(old)) >= SWEEP || isMore;
    if (performance.now() - boundAt < BOUND_EVERY_MS) return isMore;
    const removed = await store.boundAudit({ maxEntries: auditMaxEntries, limit: BOUND });
    if (removed < BOUND) boundAt = performance.now();
    return isMore || removed >= BOUND;
  };
  const failure = 'fleet sample or removal of old audit entries and keys failed; retrying';
  await runPeriodically(log, signal, { intervalMs, failure, run });
}
