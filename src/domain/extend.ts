import { minutesShortfall, type QuotaFacts } from './quota.ts';
import type { ExtendRefusal } from './refusals.ts';

export interface ExtendFacts {
  live: boolean;
  expiresAt: number;
  minutesReserved: number;
}

/** Whether a session gets this many minutes more: null when it does. Past its time it is as good as ended. */
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
