import { resetsAt } from './month.ts';
import type { QuotaShortfall } from './refusals.ts';

/** An account's limits (null: unlimited) and its current use of them. */
export interface QuotaFacts {
  quotaMinutes: number | null;
  maxSessions: number | null;
  /** The month in which a reservation would count, `YYYY-MM`. */
  month: string;
  /** Minutes charged to or reserved in that month. */
  usedMinutes: number;
  liveSessions: number;
}

/** The shortfall if this many more minutes were reserved in the month; null when the quota is sufficient. */
export function minutesShortfall(quota: QuotaFacts, requested: number): QuotaShortfall | null {
  if (quota.quotaMinutes === null || quota.usedMinutes + requested <= quota.quotaMinutes) return null;
  return {
    kind: 'minutes',
    limit: quota.quotaMinutes,
    used: quota.usedMinutes,
    requested,
    resets_at: resetsAt(quota.month),
  };
}

/** The shortfall if one more session were started; null when it is within the limit. */
export function sessionsShortfall(quota: QuotaFacts): QuotaShortfall | null {
  if (quota.maxSessions === null || quota.liveSessions < quota.maxSessions) return null;
  return {
    kind: 'sessions',
    limit: quota.maxSessions,
    used: quota.liveSessions,
    requested: 1,
    resets_at: null,
  };
}

/** The shortfall if one more object of this kind were created; null when it is within the limit. */
export function countShortfall(
  kind: 'apps' | 'keys' | 'waiting' | 'watch_links' | 'webhooks',
  used: number,
  limit: number,
): QuotaShortfall | null {
  return used < limit ? null : { kind, limit, used, requested: 1, resets_at: null };
}

/** Storage of an account's apps or artifacts in bytes: the limit (null: unlimited) and the current use. */
export interface StorageUse {
  limit: number | null;
  used: number;
}

/** The shortfall if `requested` more bytes were stored; null when they are within the limit. */
export function storageShortfall(
  kind: 'app_bytes' | 'artifact_bytes',
  { limit, used }: StorageUse,
  requested: number,
): QuotaShortfall | null {
  if (limit === null || used + requested <= limit) return null;
  return { kind, limit, used, requested, resets_at: null };
}

/** The number of bytes that can still be stored; null: unlimited. */
export const storageLeft = ({ limit, used }: StorageUse): number | null =>
  limit === null ? null : Math.max(0, limit - used);
