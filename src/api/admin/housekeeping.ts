import { setTimeout as delay } from 'node:timers/promises';
import type { ApiContext } from '../implement.ts';

/** Several looks a minute, so that none goes by without its sample; all but the first of them find it there. */
const INTERVAL_MS = 15_000;
const DAY_MS = 86_400_000;
/** Entries that one look removes: a small part of a second's work for the store. */
const SWEEP = 200;
/** How often the entries are counted, and how many are removed at a time where there are too many. */
const BOUND_EVERY_MS = 600_000;
const BOUND = 2_000;

type HousekeepingContext = Pick<ApiContext, 'store' | 'log'>;

interface HousekeepingOptions {
  auditDays: number;
  auditMaxEntries: number;
  intervalMs?: number;
}

/**
 * Counts what is offered, and removes audit entries that are too old or too many, and keys that ended long ago. It runs in
 * every api process.
 */
export async function runHousekeeping(
  { store, log }: HousekeepingContext,
  signal: AbortSignal,
  { auditDays, auditMaxEntries, intervalMs = INTERVAL_MS }: HousekeepingOptions,
): Promise<void> {
  let boundAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    let isMore = false;
    try {
      await store.sampleFleet();
      const old = { olderThanMs: auditDays * DAY_MS, limit: SWEEP };
      isMore = (await store.sweepAudit(old)) >= SWEEP;
      // By then the trail has no entry left that names such a key
      isMore = (await store.sweepKeys(old)) >= SWEEP || isMore;
      if (performance.now() - boundAt >= BOUND_EVERY_MS) {
        const removed = await store.boundAudit({ maxEntries: auditMaxEntries, limit: BOUND });
        if (removed < BOUND) boundAt = performance.now();
        isMore ||= removed >= BOUND;
      }
    } catch (error) {
      log.warn(
        { err: error },
        'the fleet could not be sampled, or old audit entries or keys could not be removed; retrying',
      );
    }
    if (!isMore) await delay(intervalMs, undefined, { signal }).catch(() => {});
  }
}
