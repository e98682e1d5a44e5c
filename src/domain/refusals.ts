/** Why a phone is not lent now. */
export type UnavailableReason = 'in_use' | 'cleaning' | 'offline' | 'maintenance' | 'reserved';

export interface QuotaShortfall {
  kind: 'minutes' | 'sessions' | 'apps' | 'app_bytes' | 'keys' | 'waiting' | 'webhooks' | 'watch_links';
  limit: number;
  used: number;
  requested: number;
  /** ISO 8601; null for sessions, which come back when one ends, for apps, when one is deleted, for keys, for webhooks, for watch links and for what waits. */
  resets_at: string | null;
}

export type ConnectRefusal =
  /** Revoked, or its account disabled, since the request was let in. */
  | { why: 'key-no-good' }
  | { why: 'app-not-found' }
  | { why: 'device-not-found' }
  | { why: 'device-unavailable'; reason: UnavailableReason }
  | { why: 'quota'; shortfall: QuotaShortfall }
  | { why: 'idempotency-conflict' };

export type BorrowRefusal =
  | Exclude<ConnectRefusal, { why: 'device-not-found' | 'device-unavailable' }>
  | { why: 'no-phone-matches' }
  | { why: 'none-free' }
  | { why: 'queue-full'; limit: number };

export type ExtendRefusal =
  | { why: 'ended' }
  | { why: 'too-long'; maxMinutes: number }
  | { why: 'quota'; shortfall: QuotaShortfall };

export type RequestAppRefusal =
  | { why: 'app-not-found' }
  | { why: 'ended' }
  | { why: 'not-connected' }
  | { why: 'idempotency-conflict' };
