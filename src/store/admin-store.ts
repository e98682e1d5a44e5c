/** What operators and account holders ask of the store, beside lending phones. */
import type { AuditKind } from '../contract/audit.ts';
import type { DeviceDescription } from '../contract/device.ts';
import type { DeviceCondition } from '../contract/fleet-device.ts';
import type { Role } from '../contract/key.ts';
import type { Page } from '../contract/page.ts';
import type { SessionStatus } from '../contract/session.ts';
import type { UsageDays } from '../contract/usage-days.ts';
import type { UserName } from '../contract/user-name.ts';
import type { QuotaShortfall } from '../domain/refusals.ts';
import type { HourOfUse } from '../domain/utilisation.ts';
import type { AccountRow, Idempotency, KeyRow, NewAccount, SessionRow, Timestamp } from './entities.ts';
import type { HostRow } from './host-report.ts';

export interface Paging {
  page: number;
  pageSize: number;
}

/** An account with what it has of its limits now. */
export interface AccountUse extends AccountRow {
  /** Minutes charged this month, or reserved in it. */
  minutesUsed: number;
  liveSessions: number;
  /** Bytes that its apps take on disk. */
  appBytes: number;
}

export interface AccountChange {
  accountId: string;
  name?: string | undefined;
  quotaMinutes?: number | null | undefined;
  maxSessions?: number | null | undefined;
  maxAppBytes?: number | null | undefined;
  /** true: its keys are refused, and its live sessions end with reason `admin`. */
  disabled?: boolean | undefined;
}

/** `replayed`: the same request made it before. */
export type MakeOutcome<T> =
  | { ok: true; made: T; replayed: boolean }
  | {
      ok: false;
      refusal:
        | { why: 'idempotency-conflict' }
        | { why: 'name-taken' }
        | { why: 'no-such-account' }
        | { why: 'key-no-good' }
        /** Of a key: the one that creates it may create none that is valid for longer than this. */
        | { why: 'outlives-maker'; maxValidForMs: number }
        | { why: 'quota'; shortfall: QuotaShortfall };
    };

/** A key that nobody has yet: of the key itself only its SHA-256 (hex) is kept. */
export interface MakeKeyCommand {
  key: {
    accountId: string;
    name: string;
    role: Role;
    hash: string;
    prefix: string;
    /** null: it does not expire. */
    validForMs: number | null;
    /** Whose it is to be, beside its account's: the user who makes it, and the key that they make it with. */
    maker: { userId: string; keyId: string } | null;
  };
  /**
   * The key that creates it, and the longest lifetime that a key that came of signing in may give to another one; null: it is
   * created without a key.
   */
  createdWith: { keyId: string; maxLifetimeMs: number } | null;
  /** Whose idempotency key it is: an account. */
  by: string;
  /** How many valid ones the account may have. */
  maxKeys: number;
  idempotency: Idempotency | null;
}

/** A phone with its host, the session that has it, and when the one before ended. */
export interface FleetDeviceRow extends DeviceDescription {
  ownName: string;
  condition: DeviceCondition;
  /** Nothing of its last lease is left on it. */
  isClean: boolean;
  /** Its host has it. */
  present: boolean;
  maintenance: boolean;
  maintenanceNote: string | null;
  problem: string | null;
  host: Pick<HostRow, 'id' | 'name' | 'lost' | 'revokedAt'>;
  /** Another host that reports the phone too. */
  claimedBy: { id: string; name: string } | null;
  session: {
    id: string;
    status: SessionStatus;
    accountId: string;
    accountName: string;
    user: UserName | null;
    createdAt: Timestamp;
    expiresAt: Timestamp;
  } | null;
  lastSessionEndedAt: Timestamp | null;
  /** null: everybody sees it. */
  group: { id: string; name: string } | null;
}

export interface FleetDeviceQuery extends Paging {
  condition?: DeviceCondition | undefined;
  hostId?: string | undefined;
  /** null: those in no group. */
  groupId?: string | null | undefined;
  brand?: string | undefined;
  /** In its name, model or identifier. */
  search?: string | undefined;
}

export interface DeviceChange {
  deviceId: string;
  /** null: what it calls itself. */
  name?: string | null | undefined;
  maintenance?: boolean | undefined;
  maintenanceNote?: string | null | undefined;
  /** null: none, and everybody sees it. */
  groupId?: string | null | undefined;
  /** The host that it belongs to from now on; it is offline until that host reports it. */
  hostId?: string | undefined;
}

export type DeviceChangeRefusal = 'no-such-group' | 'no-such-host' | 'in-use';

/** A host with what its phones are doing. */
export interface HostUse extends Omit<HostRow, 'phones'> {
  devices: Record<DeviceCondition, number>;
  liveSessions: number;
}

export interface FleetSessionRow extends SessionRow {
  accountName: string;
  /** Whose key created it, where it is a user's. */
  user: UserName | null;
  deviceName: string;
}

export interface FleetSessionQuery extends Paging {
  status?: SessionStatus | undefined;
  deviceId?: string | undefined;
  accountId?: string | undefined;
}

export interface AuditTarget {
  kind: AuditKind;
  id: string;
}

/**
 * An operation that is about to change something. Every method of the store that takes one writes its entry in the transaction
 * that makes the change: both are committed, or neither. An operation that is refused, or that finds nothing to change, has no
 * entry by this way.
 */
export interface AuditEvent {
  /** The account of the key that asked; null: it is unknown, or the change comes from the command line. */
  accountId: string | null;
  keyId: string | null;
  action: string;
  address: string | null;
  /** What the request names. The store adds what the change makes or touches; an entry keeps the first two. */
  targets: AuditTarget[];
  /** Set by the store when the entry has been committed. */
  isRecorded?: boolean;
}

/** An entry that goes with no change. */
export interface AuditNote extends Omit<AuditEvent, 'isRecorded'> {
  /** 0, or the error's code. */
  code: number;
  /** How many equal requests the entry stands for. */
  count: number;
  /** How long ago the first of them was. */
  agoMs: number;
}

export interface AuditRow extends Pick<AuditNote, 'action' | 'address' | 'code' | 'targets' | 'count'> {
  id: string;
  at: Timestamp;
  account: { id: string; name: string } | null;
  key: { id: string; prefix: string } | null;
  user: UserName | null;
}

export interface AuditFilter {
  accountId?: string | undefined;
  action?: string | undefined;
  /** What it was done to, or what came of it. */
  target?: string | undefined;
  since?: Timestamp | undefined;
  until?: Timestamp | undefined;
}

/** Identifies an entry. */
export interface AuditEntryId {
  at: Timestamp;
  id: string;
}

/** Entries are added and grow old; of an entry that goes with no change only the count grows. */
export interface AuditStore {
  /** Adds entries that go with no change; those of changes are written with the change. Answers what identifies them, in order. */
  addAudit(notes: AuditNote[]): Promise<AuditEntryId[]>;
  /** Sets how many requests these entries stand for. */
  countAudit(counts: (AuditEntryId & { count: number })[]): Promise<void>;
  /** Newest first; the total stops at `MOST_COUNTED`. */
  listAudit(query: AuditFilter & Paging): Promise<Page<AuditRow>>;
  /** The newest that are older than `before`, newest first. */
  auditBefore(query: { filter: AuditFilter; before: AuditRow | null; limit: number }): Promise<AuditRow[]>;
  /** Removes at most `limit` of those that are older; answers how many. */
  sweepAudit(options: { olderThanMs: number; limit: number }): Promise<number>;
  /**
   * Where there are more entries than `maxEntries`, removes the oldest entries of the accounts that have the most, at most
   * `limit`; answers how many. It counts all entries: to be called seldom.
   */
  boundAudit(options: { maxEntries: number; limit: number }): Promise<number>;
}

export interface AdminStore extends AuditStore {
  /** Notes that a key was used, unless that was noted less than a minute ago. */
  noteKeyUse(use: { keyId: string; address: string }): Promise<void>;
  makeKey(command: MakeKeyCommand, audit?: AuditEvent): Promise<MakeOutcome<KeyRow>>;
  getKey(keyId: string): Promise<KeyRow | null>;
  /** Deletes keys that were revoked or have expired for that long, at most `limit`; answers how many. */
  sweepKeys(options: { olderThanMs: number; limit: number }): Promise<number>;
  /** An account's keys, newest first, revoked and expired ones too. null: no such account. */
  pageKeys(query: { accountId: string } & Paging): Promise<Page<KeyRow> | null>;
  /** Minutes and sessions of each day of a month (`YYYY-MM`; by default the one that it is). */
  usageDays(accountId: string, month?: string): Promise<UsageDays>;

  /** By name. */
  pageAccounts(query: Paging): Promise<Page<AccountUse>>;
  /** `by`: whose idempotency key it is. */
  makeAccount(
    command: { account: NewAccount; by: string; idempotency: Idempotency | null },
    audit?: AuditEvent,
  ): Promise<MakeOutcome<AccountUse>>;
  /** null: no such account. */
  changeAccount(
    change: AccountChange,
    audit?: AuditEvent,
  ): Promise<{ account: AccountUse; ended: SessionRow[] } | 'name-taken' | null>;

  /** By id, whatever their condition; forgotten ones are not in it. */
  listFleetDevices(query: FleetDeviceQuery): Promise<Page<FleetDeviceRow>>;
  getFleetDevice(deviceId: string): Promise<FleetDeviceRow | null>;
  /** null: no such phone. */
  changeDevice(
    change: DeviceChange,
    audit?: AuditEvent,
  ): Promise<FleetDeviceRow | DeviceChangeRefusal | null>;
  /** Takes a phone out of every list until a host has it again. null: no such phone. */
  forgetDevice(deviceId: string, audit?: AuditEvent): Promise<'forgotten' | 'present' | 'in-use' | null>;

  /** By name, revoked ones too. */
  pageHosts(query: Paging): Promise<Page<HostUse>>;
  getHost(hostId: string): Promise<HostUse | null>;
  /** Of all accounts, newest first; the total stops at `MOST_COUNTED`. */
  listFleetSessions(query: FleetSessionQuery): Promise<Page<FleetSessionRow>>;

  /** Counts the phones that are offered, once a minute whoever asks; forgets what is older than anybody may ask for. */
  sampleFleet(): Promise<void>;
  /** The last so many hours, the one that it is included, in order. */
  utilisation(hours: number): Promise<HourOfUse[]>;
}
