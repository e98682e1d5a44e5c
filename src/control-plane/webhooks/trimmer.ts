import { DELIVERY_DAYS, MAX_DELIVERIES_KEPT } from '../../contract/events/webhook.ts';
import type { ControlPlaneContext } from '../context.ts';
import { runPeriodically } from '../periodic.ts';

const INTERVAL_MS = 10_000;
const BOUNDS = { maxAgeMs: DELIVERY_DAYS * 86_400_000, maxPerWebhook: MAX_DELIVERIES_KEPT, limit: 1_000 };

/** Limits the number and the age of stored deliveries. It runs in every api process. */
export function runDeliveryTrimmer(
  { store, log }: Pick<ControlPlaneContext, 'store' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  let after: string | null = null;
  return runPeriodically(log, signal, {
    intervalMs: INTERVAL_MS,
    failure: 'old webhook deliveries could not be removed; retrying',
    run: async () => {
      const { next } = await store.trimDeliveries({ ...BOUNDS, after });
      after = next;
      return false;
    },
  });
}
