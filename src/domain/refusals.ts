/** Why a phone cannot be borrowed now. */
export type UnavailableReason = 'in_use' | 'cleaning' | 'offline' | 'maintenance' | 'reserved';

export interface QuotaShortfall {
  kind:
    | 'minutes'
    | 'sessions'
    | 'apps'
    | 'app_bytes'
    | 'artifact_bytes'
    | 'keys'
    | 'waiting'
    | 'webhooks'
    | 'watch_links';
  limit: number;
  used: number;
  requested: number;
  /** ISO 8601 for minutes. Null for all other kinds, which do not reset at a fixed time. */
  resets_at: string | null;
}

export type ConnectRefusal =
  /** The key was revoked, or its account disabled, after the request was authenticated. */
  | { why: 'key-invalid' }
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
