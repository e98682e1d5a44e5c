/**
 * The store. Its rows are the source of truth for the whole service, and all timestamps come from its clock. Every
 * method is one transaction. A method that resolves has committed; a method that throws has changed nothing. A method
 * that takes an audit event writes the audit entry in the same transaction.
 * When the database is unavailable, a method throws StoreUnavailableError.
 */

import type { DeviceDescription } from '../contract/http/device.ts';
import type { Role } from '../contract/http/key.ts';
import type { Page } from '../contract/http/page.ts';
import type { EndReason, SessionStatus } from '../contract/http/session.ts';
import type { AccountUsage } from '../contract/http/usage.ts';
import type { ConnectRefusal, ExtendRefusal, RequestAppRefusal } from '../domain/refusals.ts';
import type { Groups } from '../domain/visibility.ts';
import type { UserStore } from './accounts/user-store.ts';
import type { AdminStore, AuditEvent } from './admin-store.ts';
import type { AppFacts, AppRow } from './apps/app-row.ts';
import type { GroupStore } from './devices/group-store.ts';
import type { AccountRow, ConnectCommand, Idempotency, KeyRow, NewAccount, SessionRow } from './entities.ts';
import type { EventLog } from './events/event-log.ts';
import type { Assignment, HostReport, HostRow, RefusedPhone } from './hosts/host-report.ts';
import type { PhoneQueue } from './queue/phone-queue.ts';
import type { WatchLinkStore } from './sessions/watch-link-store.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';

export type { Role } from '../contract/http/key.ts';
export type {
  AccountRow,
  ConnectCommand,
  Idempotency,
  KeyRow,
  NewAccount,
  SessionRow,
  Timestamp,
} from './entities.ts';
export type { AppReport, Assignment, HostReport, HostRow, PhoneReport } from './hosts/host-report.ts';

/** Identity and role of an authenticated API key. */
export interface Principal {
  keyId: string;
  accountId: string;
  accountName: string;
  role: Role;
  /** null: the key belongs to the account and not to a user. */
  userId: string | null;
}

export interface DeviceRow extends DeviceDescription {
  hostId: string;
  /** null: the device is in no group and is visible to every account. */
  groupId: string | null;
  status: 'available' | 'busy';
}

export type ConnectOutcome =
  | { ok: true; session: SessionRow; replayed: boolean }
  | { ok: false; refusal: ConnectRefusal };

export interface EndCommand {
  sessionId: string;
  /** When given, a session of another account is not found. */
  accountId?: string;
  /** When given, a session of another epoch is not found. */
  epoch?: number;
  /** When given, a session on a phone of another host is not found. */
  hostId?: string;
  reason: EndReason;
  detail?: string;
}

/**
 * `ended` is false when the session had already ended; the row then describes that first end, unchanged. `ended` is
 * also false when the requested reason is `expired` but the expiry is still in the future; the row is then still
 * live.
 */
export type EndOutcome = { session: SessionRow; ended: boolean } | null;

export interface ListDevicesQuery {
  /** The account for which the devices are listed. */
  accountId: string;
  brand?: string;
  osVersion?: string;
  status?: 'available' | 'busy';
  page: number;
  pageSize: number;
}

export interface ListSessionsQuery {
  accountId: string;
  status?: SessionStatus;
  deviceId?: string;
  page: number;
  pageSize: number;
}

/**
 * `created` is false when the account already has an app with the same bytes; `app` is then that existing app.
 */
export type CreateAppOutcome =
  | { ok: true; app: AppRow; created: boolean }
  | {
      ok: false;
      refusal: Extract<ConnectRefusal, { why: 'key-invalid' | 'idempotency-conflict' | 'quota' }>;
    };

/** null: the account has no session with this identifier. */
export type RequestAppOutcome =
  | { ok: true; session: SessionRow; replayed: boolean }
  | { ok: false; refusal: RequestAppRefusal }
  | null;

export interface ReapOutcome {
  ended: SessionRow[];
  /** Hosts that were marked as lost because they stopped reporting. */
  lostHosts: string[];
}

/**
 * Fleet counts: sessions by status, devices by condition, hosts by state. A key whose count is zero may be absent.
 */
export interface FleetCounts {
  sessions: Record<string, number>;
  devices: Record<string, number>;
  hosts: Record<string, number>;
  /** How long ago the earliest expiry among the live sessions passed, ms; 0 when no live session is overdue. */
  overdueMs: number;
}

export interface Store
  extends AdminStore,
    EventLog,
    GroupStore,
    PhoneQueue,
    UserStore,
    WatchLinkStore,
    WebhookStore,
    AsyncDisposable {
  /** Number of transactions that wait for a database connection. */
  readonly waiting: number;
  /** Resolves when the database responds; throws StoreUnavailableError otherwise. */
  ping(): Promise<void>;
  /** Counts live sessions, devices and hosts. */
  fleetCounts(): Promise<FleetCounts>;
  /**
   * Returns the secret of this name. The first call creates it (32 random bytes without `make`); all processes get
   * the same value.
   */
  secret(name: string, make?: () => Uint8Array): Promise<Uint8Array>;
  /** The current secret, followed by the previous one if the secret was rotated. */
  secrets(name: string): Promise<Uint8Array[]>;
  /** Replaces all of these secrets or none. Each old value stays available as the previous secret. */
  rotateSecrets(names: readonly string[], audit?: AuditEvent): Promise<void>;

  /** Ensures that the account exists and that the key with this hash is one of its admin keys. */
  ensureBootstrapKey(options: { account: NewAccount; hash: string; prefix: string }): Promise<void>;
  createAccount(account: NewAccount, audit?: AuditEvent): Promise<AccountRow | 'name-taken'>;
  listAccounts(): Promise<AccountRow[]>;
  createKey(key: NewKey, audit?: AuditEvent): Promise<KeyRow | 'no-such-account'>;
  /** The keys of one account, or of all accounts, oldest first, including revoked keys. */
  listKeys(accountName?: string): Promise<KeyRow[]>;
  /**
   * Revokes a key and ends the live sessions that it created, with reason `admin`. null: the key does not exist.
   */
  revokeKey(keyId: string, audit?: AuditEvent): Promise<{ key: KeyRow; ended: SessionRow[] } | null>;
  /**
   * Looks up the principal of a key by its SHA-256 (hex). null: the key is unknown, revoked or expired, or its
   * account is disabled.
   */
  authenticate(hash: string): Promise<Principal | null>;
  /** Returns the subset of the grants (identifiers of keys and watch links) that is valid now. */
  validGrants(grantIds: string[]): Promise<string[]>;

  /** Sorted by identifier. Returns only devices that are visible to the account and are available or busy. */
  listDevices(query: ListDevicesQuery): Promise<Page<DeviceRow>>;
  getDevice(deviceId: string, accountId: string): Promise<DeviceRow | null>;
  /**
   * Returns those of the devices that are available or busy, regardless of visibility, in no particular order.
   */
  getDevices(deviceIds: string[]): Promise<DeviceRow[]>;
  /** The groups of each account. Accounts that are in no group are absent from the map. */
  groupsOf(accountIds: string[]): Promise<ReadonlyMap<string, Groups>>;

  connect(command: ConnectCommand, audit?: AuditEvent): Promise<ConnectOutcome>;
  end(command: EndCommand, audit?: AuditEvent): Promise<EndOutcome>;
  /** Adds minutes to a live session and reserves them against the quota. null: the session does not exist. */
  extend(
    command: {
      sessionId: string;
      accountId?: string;
      minutes: number;
      /** Maximum total reservation of one session, minutes. */
      maxMinutes: number;
    },
    audit?: AuditEvent,
  ): Promise<{ ok: true; session: SessionRow } | { ok: false; refusal: ExtendRefusal } | null>;
  getSession(sessionId: string, accountId?: string): Promise<SessionRow | null>;
  /**
   * Returns those of the sessions that exist, in no particular order. One query serves gateways that hold many
   * sessions.
   */
  getSessions(sessionIds: string[]): Promise<SessionRow[]>;
  /** Newest first. */
  listSessions(query: ListSessionsQuery): Promise<Page<SessionRow>>;
  usage(accountId: string): Promise<AccountUsage | null>;

  /**
   * Stores the metadata of an uploaded app. Uploading the same bytes to the same account again yields the same app.
   */
  createApp(
    command: {
      /** The key of the upload. Nothing is stored if it was revoked while the file arrived. */
      keyId: string;
      app: AppFacts & { id: string; accountId: string };
      /** Maximum number of apps of the account. */
      maxApps: number;
      idempotency: Idempotency | null;
    },
    audit?: AuditEvent,
  ): Promise<CreateAppOutcome>;
  getApp(appId: string, accountId: string): Promise<AppRow | null>;
  /**
   * Returns an app of any account, including a deleted app whose files are still kept, so that a host can install it.
   */
  getKeptApp(appId: string): Promise<AppRow | null>;
  /** Newest first. */
  listApps(query: { accountId: string; page: number; pageSize: number }): Promise<Page<AppRow>>;
  /** Returns false when the account has no such app. Sessions that already requested the app still get it. */
  deleteApp(appId: string, accountId: string, audit?: AuditEvent): Promise<boolean>;
  /**
   * Returns at most `limit` deleted apps that no live session waits for, so that their files can be deleted.
   */
  unneededApps(limit: number): Promise<string[]>;
  /** Deletes the rows of deleted apps, once their files have been deleted. */
  forgetApps(appIds: string[]): Promise<void>;
  /** Returns at most `limit` apps that were stored by a version that did not measure their size on disk. */
  unmeasuredApps(limit: number): Promise<string[]>;
  recordStoredSize(appId: string, bytes: number): Promise<void>;
  /** Requests the installation of an app on a connected session. */
  requestApp(
    command: { sessionId: string; accountId: string; appId: string; idempotency: Idempotency | null },
    audit?: AuditEvent,
  ): Promise<RequestAppOutcome>;

  /**
   * Applies the report of a host about its devices, and returns the assignment of each device. New devices are
   * created. Devices that are absent from a complete report go offline, and their sessions end with `device_lost`.
   * Sessions whose lease is established become `connected`. A device that was cleaned up to its current epoch becomes
   * available. A partial report affects, and returns, only the devices that it names. `wasLost`: the host had been
   * marked as lost; devices that its report does not name stay offline. `refused`: devices that belong to another
   * host, or that exceed the device limit of the host. null: the host is revoked, or is unknown although it must be
   * registered; nothing was changed.
   */
  reportHost(report: HostReport): Promise<{
    assignments: Assignment[];
    changed: SessionRow[];
    wasLost: boolean;
    refused: RefusedPhone[];
  } | null>;
  /** The names of hosts are unique among hosts that are not revoked. */
  addHost(host: { name: string; publicKey: string }, audit?: AuditEvent): Promise<HostRow | 'name-taken'>;
  /** Sorted by name, including revoked hosts. */
  listHosts(): Promise<HostRow[]>;
  /**
   * Revokes a host: its reports are rejected, and its live sessions end with reason `admin`. null: the host does not
   * exist.
   */
  revokeHost(hostId: string, audit?: AuditEvent): Promise<{ host: HostRow; ended: SessionRow[] } | null>;
  /**
   * Ends what is overdue: expired sessions, sessions that did not connect in time and, when `hostSilenceMs` is given,
   * the sessions of hosts that have not reported for that long, whose devices go offline. Handles at most `limit` of
   * each.
   */
  reap(options: { limit: number; hostSilenceMs: number | null }): Promise<ReapOutcome>;
}

export interface NewKey {
  accountName: string;
  name: string;
  role: Role;
  /** SHA-256 of the key, hex. */
  hash: string;
  prefix: string;
  /** null: the key does not expire. */
  validForMs: number | null;
}

/** Why the database is unavailable: it is unreachable or too slow, is read-only, or has no disk space left. */
export type OutageReason = 'unreachable' | 'read-only' | 'out-of-space';

const OUTAGE_MESSAGES: Record<OutageReason, string> = {
  unreachable: 'the store cannot be reached, or is too slow',
  'read-only': 'the store is read-only',
  'out-of-space': 'the store has no disk space left',
};

/** The database is unreachable or cannot write. As far as is known, nothing was changed. */
export class StoreUnavailableError extends Error {
  readonly reason: OutageReason;
  constructor(cause: unknown, reason: OutageReason = 'unreachable') {
    super(OUTAGE_MESSAGES[reason], { cause });
    this.name = 'StoreUnavailableError';
    this.reason = reason;
  }
}
