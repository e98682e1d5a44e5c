import { setTimeout as delay } from 'node:timers/promises';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { ControlPlaneContext } from './context.ts';
import { type Publisher, publishSession } from './session-changes.ts';

/** Interval at which each process checks for due sessions. A session ends at most 5 s after its expiry. */
const INTERVAL_MS = 1_000;
/**
 * Maximum number of rows of each kind (silent hosts, sessions that did not start, expired sessions) handled per run.
 * After a full batch the next run follows immediately.
 */
const BATCH = 200;
/** A host that has sent nothing for this long is considered lost. */
export const HOST_SILENCE_MS = 10_000;

/**
 * Ends sessions that are due, and marks silent hosts as lost. It runs in every api process. When this process could
 * not have received reports (it just started, was suspended, or had no store or bus), hosts are given one silence
 * period before they count as lost.
 */
export async function runReaper(
  context: Pick<ControlPlaneContext, 'store'> & Publisher,
  signal: AbortSignal,
  options: { intervalMs?: number; hostSilenceMs?: number } = {},
): Promise<void> {
  const { intervalMs = INTERVAL_MS, hostSilenceMs = HOST_SILENCE_MS } = options;
  let listeningSince = performance.now();
  let lastLook = listeningSince;
  while (!signal.aborted) {
    const now = performance.now();
    if (!context.bus.isUp || now - lastLook > intervalMs + hostSilenceMs / 2) listeningSince = now;
    const heardLongEnough = now - listeningSince > hostSilenceMs;
    const outcome = await reapOnce(context, heardLongEnough ? hostSilenceMs : null);
    if (outcome !== 'failed') lastLook = now;
    if (outcome !== 'more') await delay(intervalMs, undefined, { signal }).catch(() => {});
  }
}

async function reapOnce(
  context: Pick<ControlPlaneContext, 'store'> & Publisher,
  hostSilenceMs: number | null,
): Promise<'done' | 'more' | 'failed'> {
  try {
    const { ended, lostHosts } = await context.store.reap({ limit: BATCH, hostSilenceMs });
    for (const hostId of lostHosts) context.log.warn({ hostId }, 'host fell silent; its phones are offline');
    for (const session of ended) {
      publishSession(context, session);
    }
    return ended.length >= BATCH ? 'more' : 'done';
  } catch (error) {
    logUnlessOutage(
      context.log,
      'error',
      { err: error },
      'the reaper could not look for what is due; it tries again',
    );
    return 'failed';
  }
}
