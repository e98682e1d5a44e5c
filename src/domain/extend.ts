import { minutesShortfall, type QuotaFacts } from './quota.ts';
import type { ExtendRefusal } from './refusals.ts';

export interface ExtendFacts {
  live: boolean;
  expiresAt: number;
  minutesReserved: number;
}

/**
 * Decides whether a session can be extended by this many minutes. Returns null when it can. A session past its
 * `expiresAt` counts as ended.
 */
export function extendRefusal(
  session: ExtendFacts,
  quota: QuotaFacts,
  request: { minutes: number; maxMinutes: number; now: number },
): ExtendRefusal | null {
  if (!session.live || session.expiresAt <= request.now) return { why: 'ended' };
  if (session.minutesReserved + request.minutes > request.maxMinutes) {
    return { why: 'too-long', maxMinutes: request.maxMinutes };
  }
  const shortfall = minutesShortfall(quota, request.minutes);
  return shortfall && { why: 'quota', shortfall };
}
