/** Store operations for operators and account holders, other than connecting devices. */
import type { AuditKind } from '../contract/http/audit.ts';
import type { DeviceDescription } from '../contract/http/device.ts';
import type { DeviceCondition } from '../contract/http/fleet-device.ts';
import type { Role } from '../contract/http/key.ts';
import type { Page } from '../contract/http/page.ts';
import type { SessionStatus } from '../contract/http/session.ts';
import type { UsageDays } from '../contract/http/usage-days.ts';
import type { UserName } from '../contract/http/user-name.ts';
import type { QuotaShortfall } from '../domain/refusals.ts';
import type { HourOfUse } from '../domain/utilisation.ts';
import type { AccountRow, Idempotency, KeyRow, NewAccount, SessionRow, Timestamp } from './entities.ts';
import type { HostRow } from './hosts/host-report.ts';

export interface Paging {
  page: number;
  pageSize: number;
}

/** An account with its current usage. */
export interface AccountUse extends AccountRow {
  /** Minutes charged or reserved this month. */
  minutesUsed: number;
  liveSessions: number;
  /** Disk space that its apps take, bytes. */
  appBytes: number;
}

export interface AccountChange {
  accountId: string;
  name?: string | undefined;
  quotaMinutes?: number | null | undefined;
  maxSessions?: number | null | undefined;
  maxAppBytes?: number | null | undefined;
  /** true: its keys are rejected, and its live sessions end with reason `admin`. */
  disabled?: boolean | undefined;
}

/** `replayed`: an earlier request with the same idempotency key made the object. */
export type CreateOutcome<T> =
  | { ok: true; made: T; replayed: boolean }
  | {
      ok: false;
      refusal:
        | { why: 'idempotency-conflict' }
        | { why: 'name-taken' }
        | { why: 'no-such-account' }
        | { why: 'key-invalid' }
        /**
         * The new key would be valid for longer than the key that creates it allows; `maxValidForMs` is the longest
         * lifetime.
         */
        | { why: 'outlives-maker'; maxValidForMs: number }
        | { why: 'quota'; shortfall: QuotaShortfall };
    };

/** Creates a key. Only the SHA-256 (hex) of the key is stored. */
export interface CreateKeyCommand {
  key: {
    accountId: string;
    name: string;
    role: Role;
    hash: string;
    prefix: string;
    /** null: the key does not expire. */
    validForMs: number | null;
    /**
     * The user to whom the key is to belong, and the key with which that user creates it. null: the key belongs only
     * to its account.
     */
    maker: { userId: string; keyId: string } | null;
  };
  /**
   * The key that creates the new key, and the longest lifetime that a key from a sign-in may give to a new key. null:
   * no key is involved.
   */
  createdWith: { keyId: string; maxLifetimeMs: number } | null;
  /** The account whose idempotency key is used. */
  by: string;
  /** Maximum number of valid keys of the account. */
  maxKeys: number;
  idempotency: Idempotency | null;
}

/** A device with its host, its live session, and the time at which its previous session ended. */
export interface FleetDeviceRow extends DeviceDescription {
  ownName: string;
  condition: DeviceCondition;
  /** The device has been cleaned after its last lease. */
  isClean: boolean;
  /** The host reports the device as present. */
  present: boolean;
  maintenance: boolean;
  maintenanceNote: string | null;
  problem: string | null;
  host: Pick<HostRow, 'id' | 'name' | 'lost' | 'revokedAt'>;
  /** Another host that also reports this device. */
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
  /** null: the device is visible to every account. */
  group: { id: string; name: string } | null;
}

export interface FleetDeviceQuery extends Paging {
  condition?: DeviceCondition | undefined;
  hostId?: string | undefined;
  /** null: devices that are in no group. */
  groupId?: string | null | undefined;
  brand?: string | undefined;
  /** Text to find in the name, model or identifier. */
  search?: string | undefined;
}

export interface DeviceChange {
  deviceId: string;
  /** null: reset to the name that the device reports. */
  name?: string | null | undefined;
  maintenance?: boolean | undefined;
  maintenanceNote?: string | null | undefined;
  /** null: remove the device from its group, which makes it visible to every account. */
  groupId?: string | null | undefined;
  /** The host to which the device is moved. The device is offline until that host reports it. */
  hostId?: string | undefined;
}

export type DeviceChangeRefusal = 'no-such-group' | 'no-such-host' | 'in-use';

/** A host with counts of its devices by condition, and of its live sessions. */
export interface HostUse extends Omit<HostRow, 'phones'> {
  devices: Record<DeviceCondition, number>;
  liveSessions: number;
}

export interface FleetSessionRow extends SessionRow {
  accountName: string;
  /** The user who owns the key that created the session, if any. */
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
 * An operation that is about to change something. Every store method that takes an audit event writes its entry in
 * the transaction that makes the change, so that both are committed or neither is. An operation that is refused, or
 * that finds nothing to change, gets no entry this way.
 */
export interface AuditEvent {
  /**
   * The account of the key that made the request. null: it is unknown, or the change comes from the command line.
   */
  accountId: string | null;
  keyId: string | null;
  action: string;
  address: string | null;
  /**
   * What the request names. The store appends the objects that the change creates or affects; an entry keeps the
   * first two.
   */
  targets: AuditTarget[];
  /** Set by the store when the entry has been committed. */
  isRecorded?: boolean;
}

/** An audit entry that is not part of a change. */
export interface AuditNote extends Omit<AuditEvent, 'isRecorded'> {
  /** 0, or the error code of the response. */
  code: number;
  /** Number of equal requests that the entry stands for. */
  count: number;
  /** How long ago the first of them was made, ms. */
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
  /** Identifier of an object that the operation affected or created. */
  target?: string | undefined;
  since?: Timestamp | undefined;
  until?: Timestamp | undefined;
}

/** Primary key of an audit entry. */
export interface AuditEntryId {
  at: Timestamp;
  id: string;
}

/**
 * Audit entries are append-only and expire. Only the count of an entry that is not part of a change is ever updated.
 */
export interface AuditStore {
  /**
   * Adds entries that are not part of a change; the entry of a change is written with the change. Returns their
   * identifiers, in order.
   */
  addAudit(notes: AuditNote[]): Promise<AuditEntryId[]>;
  /** Sets the request counts of these entries. */
  countAudit(counts: (AuditEntryId & { count: number })[]): Promise<void>;
  /** Newest first. Counting the total stops at `MAX_COUNTED`. */
  listAudit(query: AuditFilter & Paging): Promise<Page<AuditRow>>;
  /** The newest entries that are older than `before`, newest first. */
  auditBefore(query: { filter: AuditFilter; before: AuditRow | null; limit: number }): Promise<AuditRow[]>;
  /** Deletes at most `limit` entries that are older than `olderThanMs`; returns how many it deleted. */
  sweepAudit(options: { olderThanMs: number; limit: number }): Promise<number>;
  /**
   * When there are more than `maxEntries` entries, deletes the oldest entries of the accounts that have the most, at
   * most `limit`; returns how many it deleted. Counts all entries, and must therefore be called rarely.
   */
  boundAudit(options: { maxEntries: number; limit: number }): Promise<number>;
}

export interface AdminStore extends AuditStore {
  /** Records the use of a key, unless one was recorded less than a minute ago. */
  recordKeyUse(use: { keyId: string; address: string }): Promise<void>;
  makeKey(command: CreateKeyCommand, audit?: AuditEvent): Promise<CreateOutcome<KeyRow>>;
  getKey(keyId: string): Promise<KeyRow | null>;
  /**
   * Deletes at most `limit` keys that were revoked or expired more than `olderThanMs` ago; returns how many it
   * deleted.
   */
  sweepKeys(options: { olderThanMs: number; limit: number }): Promise<number>;
  /**
   * The keys of an account, newest first, including revoked and expired keys. null: the account does not exist.
   */
  pageKeys(query: { accountId: string } & Paging): Promise<Page<KeyRow> | null>;
  /** Minutes and sessions of each day of a month (`YYYY-MM`; the current month by default). */
  usageDays(accountId: string, month?: string): Promise<UsageDays>;

  /** Sorted by name. */
  pageAccounts(query: Paging): Promise<Page<AccountUse>>;
  /** `by`: the account whose idempotency key is used. */
  makeAccount(
    command: { account: NewAccount; by: string; idempotency: Idempotency | null },
    audit?: AuditEvent,
  ): Promise<CreateOutcome<AccountUse>>;
  /** null: the account does not exist. */
  changeAccount(
    change: AccountChange,
    audit?: AuditEvent,
  ): Promise<{ account: AccountUse; ended: SessionRow[] } | 'name-taken' | null>;

  /** Sorted by identifier, in every condition. Deleted devices are not included. */
  listFleetDevices(query: FleetDeviceQuery): Promise<Page<FleetDeviceRow>>;
  getFleetDevice(deviceId: string): Promise<FleetDeviceRow | null>;
  /** null: the device does not exist. */
  changeDevice(
    change: DeviceChange,
    audit?: AuditEvent,
  ): Promise<FleetDeviceRow | DeviceChangeRefusal | null>;
  /** Removes a device from every list until a host reports it again. null: the device does not exist. */
  forgetDevice(deviceId: string, audit?: AuditEvent): Promise<'forgotten' | 'present' | 'in-use' | null>;

  /** Sorted by name, including revoked hosts. */
  pageHosts(query: Paging): Promise<Page<HostUse>>;
  getHost(hostId: string): Promise<HostUse | null>;
  /** Sessions of all accounts, newest first. Counting the total stops at `MAX_COUNTED`. */
  listFleetSessions(query: FleetSessionQuery): Promise<Page<FleetSessionRow>>;

  /**
   * Records how many devices are offered, at most once a minute across all callers. Deletes samples that are older
   * than any query reads.
   */
  sampleFleet(): Promise<void>;
  /** Usage of the last `hours` hours, including the current one, in chronological order. */
  utilisation(hours: number): Promise<HourOfUse[]>;
}
