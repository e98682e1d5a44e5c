import { resetsAt } from './month.ts';
import type { QuotaShortfall } from './refusals.ts';

/** An account's limits (null: unlimited) and what it has of them now. */
export interface QuotaFacts {
  quotaMinutes: number | null;
  maxSessions: number | null;
  /** The month that is charged, `YYYY-MM`. */
  month: string;
  /** Minutes charged to that month or reserved in it. */
  usedMinutes: number;
  liveSessions: number;
}

/** What is missing of the month's minutes to reserve this many more; null when nothing is. */
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

/** Whether one session more would be too many; null when not. */
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

/** Whether one key more would be too many; null when not. */
export function keysShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'keys', limit, used, requested: 1, resets_at: null };
}

/** Whether one request more that waits for a phone would be too many; null when not. */
export function waitingShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'waiting', limit, used, requested: 1, resets_at: null };
}

/** Whether one app more would be too many; null when not. */
export function appsShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'apps', limit, used, requested: 1, resets_at: null };
}

/** Whether one watch link more of a session would be too many; null when not. */
export function watchLinksShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'watch_links', limit, used, requested: 1, resets_at: null };
}

/** Bytes on disk of an account's apps, and how many they may be (null: unlimited). */
export interface AppStorage {
  limit: number | null;
  used: number;
}

/** What is missing of the account's disk space to keep an app of so many bytes; null when nothing is. */
export function appBytesShortfall({ limit, used }: AppStorage, requested: number): QuotaShortfall | null {
  if (limit === null || used + requested <= limit) return null;
  return { kind: 'app_bytes', limit, used, requested, resets_at: null };
}

/** Whether one webhook more would be too many; null when not. */
export function webhooksShortfall(used: number, limit: number): QuotaShortfall | null {
  if (used < limit) return null;
  return { kind: 'webhooks', limit, used, requested: 1, resets_at: null };
}
