import { type DeviceFacts, unavailableReason } from './device-status.ts';
import { minutesShortfall, type QuotaFacts, sessionsShortfall } from './quota.ts';
import type { ConnectRefusal } from './refusals.ts';

/**
 * Decides whether a phone can be borrowed for this many minutes. Returns null when it can. The device is checked
 * before the quota. Minutes are checked before sessions, because minutes do not become available again when another
 * session ends.
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
