/**
 * The store: rows are the truth of the whole service, and its clock is the clock of the whole service.
 * Every method is one transaction. A method that answers has committed; one that throws has changed nothing.
 * A method that takes an audit event writes the entry in the same transaction.
 * When the engine is out of reach a method throws StoreUnavailableError.
 */

import type { DeviceDescription } from '../contract/device.ts';
import type { Role } from '../contract/key.ts';
import type { Page } from '../contract/page.ts';
import type { EndReason, SessionStatus } from '../contract/session.ts';
import type { AccountUsage } from '../contract/usage.ts';
import type { ConnectRefusal, ExtendRefusal, RequestAppRefusal } from '../domain/refusals.ts';
import type { Groups } from '../domain/sight.ts';
import type { AdminStore, AuditEvent } from './admin-store.ts';
import type { AppFacts, AppRow } from './app-row.ts';
import type { AccountRow, ConnectCommand, Idempotency, KeyRow, NewAccount, SessionRow } from './entities.ts';
import type { EventLog } from './event-log.ts';
import type { GroupStore } from './group-store.ts';
import type { Assignment, HostReport, HostRow, RefusedPhone } from './host-report.ts';
import type { PhoneQueue } from './phone-queue.ts';
import type { UserStore } from './user-store.ts';
import type { WatchLinkStore } from './watch-link-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export type { Role } from '../contract/key.ts';
export type {
  AccountRow,
  ConnectCommand,
  Idempotency,
  KeyRow,
  NewAccount,
  SessionRow,
  Timestamp,
} from './entities.ts';
export type { AppReport, Assignment, HostReport, HostRow, PhoneReport } from './host-report.ts';

/** Who a key belongs to and what it may do. */
export interface Principal {
  keyId: string;
  accountId: string;
  accountName: string;
  role: Role;
  /** null: the key is its account's alone. */
  userId: string | null;
}

export interface DeviceRow extends DeviceDescription {
  hostId: string;
  /** null: it is everybody's. */
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
 * `ended` is false when it had ended before: the row then tells the first end, unchanged. It is also false, and the row is live, for
 * an end as `expired` while the expiry lies ahead.
 */
export type EndOutcome = { session: SessionRow; ended: boolean } | null;

export interface ListDevicesQuery {
  /** Whose list it is. */
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

/** `created` is false when the account has an app of the same bytes: that one is answered. */
export type CreateAppOutcome =
  | { ok: true; app: AppRow; created: boolean }
  | { ok: false; refusal: Extract<ConnectRefusal, { why: 'idempotency-conflict' | 'quota' }> };

/** null: there is no such session of this account. */
export type RequestAppOutcome =
  | { ok: true; session: SessionRow; replayed: boolean }
  | { ok: false; refusal: RequestAppRefusal }
  | null;

export interface ReapOutcome {
  ended: SessionRow[];
  /** Hosts that fell silent. */
  lostHosts: string[];
}

/** How many there are, by status, condition and state; what there is none of may be missing. */
export interface Census {
  sessions: Record<string, number>;
  devices: Record<string, number>;
  hosts: Record<string, number>;
  /** How long the live session that expired first has been due. */
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
  /** Transactions that wait for a connection to the engine. */
  readonly waiting: number;
  /** Answers when the engine does; throws StoreUnavailableError otherwise. */
  ping(): Promise<void>;
  /** Live sessions, phones and hosts, counted. */
  census(): Promise<Census>;
  /** What is kept under this name, made on first use (32 random bytes without `make`); the same for every process. */
  secret(name: string, make?: () => Uint8Array): Promise<Uint8Array>;
  /** The secret and, when it was replaced, the one before it. */
  secrets(name: string): Promise<Uint8Array[]>;
  /** Replaces these secrets, all or none; each goes on as the one before. */
  rotateSecrets(names: readonly string[], audit?: AuditEvent): Promise<void>;

  /** Makes sure that the account exists and that the key with this hash is one of its admin keys. */
  ensureBootstrapKey(options: { account: NewAccount; hash: string; prefix: string }): Promise<void>;
  createAccount(account: NewAccount, audit?: AuditEvent): Promise<AccountRow | 'name-taken'>;
  listAccounts(): Promise<AccountRow[]>;
  createKey(key: NewKey, audit?: AuditEvent): Promise<KeyRow | 'no-such-account'>;
  /** All keys, or one account's, oldest first, revoked ones too. */
  listKeys(accountName?: string): Promise<KeyRow[]>;
  /** Revokes a key and ends the live sessions that it created, with reason `admin`. null: no such key. */
  revokeKey(keyId: string, audit?: AuditEvent): Promise<{ key: KeyRow; ended: SessionRow[] } | null>;
  /** The owner of a key by its SHA-256 (hex); null when unknown, revoked, expired, or of a disabled account. */
  authenticate(hash: string): Promise<Principal | null>;
  /** Those of the grants (keys and watch links, by identifier) that are valid now. */
  validGrants(grantIds: string[]): Promise<string[]>;

  /** By id; only phones that the account sees, and that are available or busy. */
  listDevices(query: ListDevicesQuery): Promise<Page<DeviceRow>>;
  getDevice(deviceId: string, accountId: string): Promise<DeviceRow | null>;
  /** Those of the phones that are available or busy, whoever sees them, in no order. */
  getDevices(deviceIds: string[]): Promise<DeviceRow[]>;
  /** The groups of each of the accounts that is in any. */
  groupsOf(accountIds: string[]): Promise<ReadonlyMap<string, Groups>>;

  connect(command: ConnectCommand, audit?: AuditEvent): Promise<ConnectOutcome>;
  end(command: EndCommand, audit?: AuditEvent): Promise<EndOutcome>;
  /** Adds minutes to a live session, and reserves them. null: not found. */
  extend(
    command: {
      sessionId: string;
      accountId?: string;
      minutes: number;
      /** Largest total reservation of one session, minutes. */
      maxMinutes: number;
    },
    audit?: AuditEvent,
  ): Promise<{ ok: true; session: SessionRow } | { ok: false; refusal: ExtendRefusal } | null>;
  getSession(sessionId: string, accountId?: string): Promise<SessionRow | null>;
  /** Those of the sessions that exist, in no order. One query, for gateways that look after many. */
  getSessions(sessionIds: string[]): Promise<SessionRow[]>;
  /** Newest first. */
  listSessions(query: ListSessionsQuery): Promise<Page<SessionRow>>;
  usage(accountId: string): Promise<AccountUsage | null>;

  /** Keeps what an uploaded file holds; the same bytes make one app of an account. */
  createApp(
    command: {
      app: AppFacts & { id: string; accountId: string };
      /** How many the account may have. */
      maxApps: number;
      idempotency: Idempotency | null;
    },
    audit?: AuditEvent,
  ): Promise<CreateAppOutcome>;
  getApp(appId: string, accountId: string): Promise<AppRow | null>;
  /** Of whatever account, and deleted ones too while their files are kept: for the host that installs it. */
  getKeptApp(appId: string): Promise<AppRow | null>;
  /** Newest first. */
  listApps(query: { accountId: string; page: number; pageSize: number }): Promise<Page<AppRow>>;
  /** False when there is none of that account. Sessions that asked for it before still get it. */
  deleteApp(appId: string, accountId: string, audit?: AuditEvent): Promise<boolean>;
  /** Deleted apps that no live session waits for: their files are of no more use. At most `limit`. */
  unneededApps(limit: number): Promise<string[]>;
  /** Their files are gone. */
  forgetApps(appIds: string[]): Promise<void>;
  /** Apps of versions that did not measure what their files take on disk. At most `limit`. */
  unmeasuredApps(limit: number): Promise<string[]>;
  noteStoredSize(appId: string, bytes: number): Promise<void>;
  /** Asks for an app on a connected session. */
  requestApp(
    command: { sessionId: string; accountId: string; appId: string; idempotency: Idempotency | null },
    audit?: AuditEvent,
  ): Promise<RequestAppOutcome>;

  /**
   * Takes what a host says of its phones, and answers what it should be doing with each.
   * New phones appear, missing ones of a complete report go offline and their sessions end with `device_lost`,
   * leases that are up become `connected`, and a phone that is clean up to its epoch is available again.
   * Only the phones that a partial report names are looked at, and answered. `wasLost`: the host had been given up, and
   * what it does not name stays offline. `refused`: phones that belong to another host, or that are more than the host
   * may have. null, and nothing changed: it was revoked, or is unknown and must not be.
   */
  reportHost(report: HostReport): Promise<{
    assignments: Assignment[];
    changed: SessionRow[];
    wasLost: boolean;
    refused: RefusedPhone[];
  } | null>;
  /** Hosts that are not revoked have names of their own. */
  addHost(host: { name: string; publicKey: string }, audit?: AuditEvent): Promise<HostRow | 'name-taken'>;
  /** By name, revoked ones too. */
  listHosts(): Promise<HostRow[]>;
  /** Nothing it says is taken any more, and its live sessions end with reason `admin`. null: no such host. */
  revokeHost(hostId: string, audit?: AuditEvent): Promise<{ host: HostRow; ended: SessionRow[] } | null>;
  /**
   * Ends what is due: expired sessions, sessions not connected in time and, when a silence is given, the
   * sessions and phones of hosts not heard of for that long. At most `limit` of each.
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
  /** null: it does not expire. */
  validForMs: number | null;
}

/** Why the engine does not serve: it cannot be reached or is too slow, refuses writes, or has no disk space left. */
export type OutageReason = 'unreachable' | 'read-only' | 'out-of-space';

const OUTAGE_MESSAGES: Record<OutageReason, string> = {
  unreachable: 'the store cannot be reached, or is too slow',
  'read-only': 'the store is read-only',
  'out-of-space': 'the store has no disk space left',
};

/** The engine cannot be reached or cannot write now; nothing was changed, as far as is known. */
export class StoreUnavailableError extends Error {
  readonly reason: OutageReason;
  constructor(cause: unknown, reason: OutageReason = 'unreachable') {
    super(OUTAGE_MESSAGES[reason], { cause });
    this.name = 'StoreUnavailableError';
    this.reason = reason;
  }
}
