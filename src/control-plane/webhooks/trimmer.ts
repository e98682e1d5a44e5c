import { setTimeout as delay } from 'node:timers/promises';
import { DELIVERY_DAYS, MAX_DELIVERIES_KEPT } from '../../contract/events/webhook.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ControlPlaneContext } from '../context.ts';

const INTERVAL_MS = 10_000;
const BOUNDS = { maxAgeMs: DELIVERY_DAYS * 86_400_000, maxPerWebhook: MAX_DELIVERIES_KEPT, limit: 1_000 };

/** Limits the number and the age of stored deliveries. It runs in every api process. */
export async function runDeliveryTrimmer(
  { store, log }: Pick<ControlPlaneContext, 'store' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  let after: string | null = null;
  while (!signal.aborted) {
    try {
      const { next } = await store.trimDeliveries({ ...BOUNDS, after });
      after = next;
    } catch (error) {
      logUnlessOutage(
        log,
        'warn',
        { err: error },
        'old deliveries of webhooks could not be removed; it is tried again',
      );
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}
