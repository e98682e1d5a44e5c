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

/** The shortfall if one more key were created; null when it is within the limit. */
export function keysShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'keys', limit, used, requested: 1, resets_at: null };
}

/** The shortfall if one more request entered the queue; null when it is within the limit. */
export function waitingShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'waiting', limit, used, requested: 1, resets_at: null };
}

/** The shortfall if one more app were uploaded; null when it is within the limit. */
export function appsShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'apps', limit, used, requested: 1, resets_at: null };
}

/** The shortfall if one more watch link were created for a session; null when it is within the limit. */
export function watchLinksShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'watch_links', limit, used, requested: 1, resets_at: null };
}

/** Storage of an account's apps or artifacts in bytes: the limit (null: unlimited) and the current use. */
export interface StorageUse {
  limit: number | null;
  used: number;
}

/** The shortfall if an app of `requested` bytes were stored; null when it is within the limit. */
export function appBytesShortfall({ limit, used }: StorageUse, requested: number): QuotaShortfall | null {
  if (limit === null || used + requested <= limit) return null;
  return { kind: 'app_bytes', limit, used, requested, resets_at: null };
}

/** The shortfall if an artifact of `requested` bytes were stored; null when it is within the limit. */
export function artifactBytesShortfall(
  { limit, used }: StorageUse,
  requested: number,
): QuotaShortfall | null {
  if (limit === null || used + requested <= limit) return null;
  return { kind: 'artifact_bytes', limit, used, requested, resets_at: null };
}

/** The number of bytes that can still be stored; null: unlimited. */
export const storageLeft = ({ limit, used }: StorageUse): number | null =>
  limit === null ? null : Math.max(0, limit - used);

/** The shortfall if one more webhook were created; null when it is within the limit. */
export function webhooksShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'webhooks', limit, used, requested: 1, resets_at: null };
}
