import { setTimeout as delay } from 'node:timers/promises';
import { orderHost } from '../control-plane/order-host.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import { type Announcers, type ApiContext, announce } from './implement.ts';

/** How often each process looks for what is due; a session ends at the latest 5 s past its expiry. */
const INTERVAL_MS = 1_000;
/** The most that one look ends of each kind; a full batch is followed by the next one at once. */
const BATCH = 200;
/** A host that has said nothing for this long is lost. */
export const HOST_SILENCE_MS = 10_000;

/**
 * Ends sessions that are due and gives up hosts that fell silent. It runs in every api process. When this process
 * could not have heard them (just started, paused, asleep, without the store or the bus), hosts get one silence period
 * to be heard first.
 */
export async function runReaper(
  context: Pick<ApiContext, 'store'> & Announcers,
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
  context: Pick<ApiContext, 'store'> & Announcers,
  hostSilenceMs: number | null,
): Promise<'done' | 'more' | 'failed'> {
  try {
    const { ended, lostHosts } = await context.store.reap({ limit: BATCH, hostSilenceMs });
    for (const hostId of lostHosts) context.log.warn({ hostId }, 'host fell silent; its phones are offline');
    for (const session of ended) {
      announce(context, session);
      orderHost(context, session);
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
