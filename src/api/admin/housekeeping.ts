import { setTimeout as delay } from 'node:timers/promises';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ApiContext } from '../implement.ts';

/** Several looks a minute, so that none goes by without its sample; all but the first of them find it there. */
const INTERVAL_MS = 15_000;
const DAY_MS = 86_400_000;
/** Entries that one look removes: a small part of a second's work for the store. */
const SWEEP = 200;

type HousekeepingContext = Pick<ApiContext, 'store' | 'log'>;

/** Counts what is offered, and removes what is kept no longer. It runs in every api process. */
export async function runHousekeeping(
  { store, log }: HousekeepingContext,
  signal: AbortSignal,
  { auditDays, intervalMs = INTERVAL_MS }: { auditDays: number; intervalMs?: number },
): Promise<void> {
  while (!signal.aborted) {
    let swept = 0;
    try {
      await store.sampleFleet();
      swept = await store.sweepAudit({ olderThanMs: auditDays * DAY_MS, limit: SWEEP });
    } catch (error) {
      logUnlessOutage(
        log,
        'warn',
        { err: error },
        'the fleet could not be sampled, or old entries not be removed; it is tried again',
      );
    }
    if (swept < SWEEP) await delay(intervalMs, undefined, { signal }).catch(() => {});
  }
}
