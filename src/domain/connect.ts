import { type DeviceFacts, unavailableReason } from './device-status.ts';
import { minutesShortfall, type QuotaFacts, sessionsShortfall } from './quota.ts';
import type { ConnectRefusal } from './refusals.ts';

/**
 * Whether a phone is lent for this many minutes: null when it is. The phone is looked at before the quota, and
 * minutes before sessions, because minutes do not come back when another session ends.
 */
export function connectRefusal(
  device: DeviceFacts | null,
  quota: QuotaFacts,
  minutes: number,
): ConnectRefusal | null {
  if (!device) return { why: 'device-not-found' };
  const reason = unavailableReason(device);
  if (reason) return { why: 'device-unavailable', reason };
  const shortfall = minutesShortfall(quota, minutes) ?? sessionsShortfall(quota);
  return shortfall && { why: 'quota', shortfall };
}
