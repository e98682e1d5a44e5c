/** What the store's callers know of a row. */
import type { Role } from '../contract/key.ts';
import type { AppStatus, EndReason, SessionStatus } from '../contract/session.ts';
import type { UserName } from '../contract/user-name.ts';

export type { Role } from '../contract/key.ts';

/** Milliseconds since 1970-01-01 UTC, by the store's clock. */
export type Timestamp = number;

export interface AccountRow {
  id: string;
  name: string;
  /** null: unlimited */
  quotaMinutes: number | null;
  maxSessions: number | null;
  /** Bytes that its apps may take on disk. */
  maxAppBytes: number | null;
  /** Since when its keys are refused; null: they are not. */
  disabledAt: Timestamp | null;
  createdAt: Timestamp;
}

export interface NewAccount {
  name: string;
  quotaMinutes: number | null;
  maxSessions: number | null;
  /** Left out: unlimited. */
  maxAppBytes?: number | null;
}

export interface KeyRow {
  id: string;
  accountId: string;
  accountName: string;
  name: string;
  role: Role;
  /** The first characters of the key, to recognise it by. */
  prefix: string;
  createdAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** Within a minute. */
  lastUsedAt: Timestamp | null;
  lastUsedFrom: string | null;
  /** null: its account's alone. */
  user: UserName | null;
  /** It came of signing in, not of somebody's making it. */
  signedIn: boolean;
}

export interface SessionRow {
  id: string;
  deviceId: string;
  hostId: string;
  accountId: string;
  /** The key that created it. */
  keyId: string;
  /** Grows by one with each session of the device; whoever acts on the phone names it. */
  epoch: number;
  status: SessionStatus;
  createdAt: Timestamp;
  connectedAt: Timestamp | null;
  expiresAt: Timestamp;
  endedAt: Timestamp | null;
  endReason: EndReason | null;
  endDetail: string | null;
  /** The app last asked for, and what has become of it. */
  appId: string | null;
  appStatus: AppStatus | null;
  appError: string | null;
  /** Grows by one with each app that is asked for; 0: none was. */
  appRequest: number;
  minutesReserved: number;
  minutesCharged: number | null;
  /** Milliseconds from the store's now to `expiresAt`; no other clock is compared with its timestamps. */
  remainingMs: number;
}

/** A key and what makes the request the same: a repeat answers the first one's result. */
export interface Idempotency {
  key: string;
  fingerprint: string;
}

export interface ConnectCommand {
  /** Made by the caller: unguessable, 128 bits or more. */
  sessionId: string;
  deviceId: string;
  accountId: string;
  keyId: string;
  minutes: number;
  appId: string | null;
  /** A repeat with the same key and fingerprint answers the first session, and allocates nothing. */
  idempotency: Idempotency | null;
}
