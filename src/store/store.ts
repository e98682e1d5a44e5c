/**
 * The store. Its rows are the source of truth for the whole service, and all timestamps come from its clock. Every
 * method is one transaction. A method that resolves has committed; a method that throws has changed nothing. A method
 * that takes an audit event writes the audit entry in the same transaction.
 * When the database is unavailable, a method throws StoreUnavailableError.
 */

import type { AccountStore } from './accounts/account-store.ts';
import type { UserStore } from './accounts/user-store.ts';
import type { AppStore } from './apps/app-store.ts';
import type { ArtifactStore } from './artifacts/artifact-store.ts';
import type { AuditStore } from './audit/audit-store.ts';
import type { DeviceStore } from './devices/device-store.ts';
import type { GroupStore } from './devices/group-store.ts';
import type { EventLog } from './events/event-log.ts';
import type { HostStore } from './hosts/host-store.ts';
import type { PhoneQueue } from './queue/phone-queue.ts';
import type { SessionStore } from './sessions/session-store.ts';
import type { WatchLinkStore } from './sessions/watch-link-store.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';

export interface Store
  extends AccountStore,
    AppStore,
    ArtifactStore,
    AuditStore,
    DeviceStore,
    EventLog,
    GroupStore,
    HostStore,
    PhoneQueue,
    SessionStore,
    UserStore,
    WatchLinkStore,
    WebhookStore,
    AsyncDisposable {
  /** Number of transactions that wait for a database connection, or for a statement that they can share. */
  readonly waiting: number;
  /** Resolves when the database responds; throws StoreUnavailableError otherwise. */
  ping(): Promise<void>;
}

/** Why the database is unavailable: it is unreachable or too slow, is read-only, or has no disk space left. */
export type OutageReason = 'unreachable' | 'read-only' | 'out-of-space';

const OUTAGE_MESSAGES: Record<OutageReason, string> = {
  unreachable: 'the store cannot be reached, or is too slow',
  'read-only': 'the store is read-only',
  'out-of-space': 'the store has no disk space left',
};

/**
 * The database is unreachable or cannot write. Usually nothing was changed, but a commit that was not confirmed in time
 * may still take effect.
 */
export class StoreUnavailableError extends Error {
  readonly reason: OutageReason;
  constructor(cause: unknown, reason: OutageReason = 'unreachable') {
    super(OUTAGE_MESSAGES[reason], { cause });
    this.name = 'StoreUnavailableError';
    this.reason = reason;
  }
}

/** Whether the transaction that failed with this error may have been committed, or may still be. */
export const mayBeCommitted = (error: unknown): boolean =>
  error instanceof StoreUnavailableError && error.reason === 'unreachable';
