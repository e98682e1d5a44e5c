import type { Role } from '../../contract/http/key.ts';
import type { Page } from '../../contract/http/page.ts';
import type { AccountUsage } from '../../contract/http/usage.ts';
import type { UsageDays } from '../../contract/http/usage-days.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type {
  AccountRow,
  CreateOutcome,
  Idempotency,
  KeyRow,
  NewAccount,
  Paging,
  SessionRow,
} from '../entities.ts';

/**
 * Minimum interval between two recorded uses of a key, because a key may be used a thousand times a second. Each process
 * keeps to it, and so does the store for all processes.
 */
export const RECORD_USE_INTERVAL_MS = 60_000;

/** Identity and role of an authenticated API key. */
export interface Principal {
  keyId: string;
  accountId: string;
  accountName: string;
  role: Role;
  /** null: the key belongs to the account and not to a user. */
  userId: string | null;
  /** The key whose request limits apply. For a browser session that is the key that opened it. */
  limitKeyId: string;
}

export interface NewKey {
  accountId: string;
  name: string;
  role: Role;
  /** SHA-256 of the key, hex. */
  hash: string;
  prefix: string;
  /** null: the key does not expire. */
  validForMs: number | null;
}

/** An account with its current usage. */
export interface AccountUse extends AccountRow {
  /** Minutes charged or reserved this month. */
  minutesUsed: number;
  liveSessions: number;
  /** Disk space that its apps take, bytes. */
  appBytes: number;
  /** Size of its artifacts, bytes. Includes artifacts that are being uploaded, or whose content is not deleted yet. */
  artifactBytes: number;
}

export interface AccountChange {
  accountId: string;
  name?: string | undefined;
  quotaMinutes?: number | null | undefined;
  maxSessions?: number | null | undefined;
  maxAppBytes?: number | null | undefined;
  recordSessions?: boolean | undefined;
  maxArtifactBytes?: number | null | undefined;
  artifactDays?: number | null | undefined;
  /** true: its keys are rejected, and its live sessions end with reason `admin`. */
  disabled?: boolean | undefined;
}

export interface CreateAccountCommand {
  account: NewAccount;
  /** The account whose idempotency key is used. null: an operator command, which has no idempotency key. */
  by: string | null;
  idempotency: Idempotency | null;
}

/** Creates a key. Only the SHA-256 (hex) of the key is stored. */
export interface CreateKeyCommand {
  key: NewKey & {
    /**
     * The user to whom the key is to belong, and the key with which that user creates it. null: the key belongs only
     * to its account.
     */
    creator: { userId: string; keyId: string } | null;
  };
  /**
   * The key that creates the new key, and the longest lifetime that a key from a sign-in may give to a new key. null:
   * no key is involved.
   */
  createdWith: { keyId: string; maxLifetimeMs: number } | null;
  /** The account whose idempotency key is used. null: an operator command, which has no idempotency key. */
  by: string | null;
  /** Maximum number of valid keys of the account. null: unlimited. */
  maxKeys: number | null;
  idempotency: Idempotency | null;
}

/** Accounts, their API keys and their usage, and the secrets of the service. */
export interface AccountStore {
  /** Ensures that the account exists and that the key with this hash is one of its admin keys. */
  ensureBootstrapKey(options: { account: NewAccount; hash: string; prefix: string }): Promise<void>;
  createAccount(command: CreateAccountCommand, audit?: AuditEvent): Promise<CreateOutcome<AccountUse>>;
  /** null: no account has this name. */
  getAccountByName(name: string): Promise<AccountRow | null>;
  /** Sorted by name. */
  listAccounts(query: Paging): Promise<Page<AccountUse>>;
  /** null: the account does not exist. */
  updateAccount(
    change: AccountChange,
    audit?: AuditEvent,
  ): Promise<{ account: AccountUse; ended: SessionRow[] } | 'name-taken' | null>;
  createKey(command: CreateKeyCommand, audit?: AuditEvent): Promise<CreateOutcome<KeyRow>>;
  /**
   * The longest lifetime that createKey gives to a key that is created with this one, in milliseconds; null:
   * unlimited.
   */
  getLongestKeyLifetime(createdWith: NonNullable<CreateKeyCommand['createdWith']>): Promise<number | null>;
  getKey(keyId: string): Promise<KeyRow | null>;
  /**
   * The keys of an account, newest first, including revoked and expired keys, but not those of sign-ins that ended.
   * null: the account does not exist.
   */
  listKeys(query: { accountId: string } & Paging): Promise<Page<KeyRow> | null>;
  /** All keys of one account, or of all accounts, oldest first, including revoked and expired keys. */
  listFleetKeys(query: { accountId?: string | undefined } & Paging): Promise<Page<KeyRow>>;
  /**
   * Revokes a key and the browser sessions that were opened with it, and ends the live sessions that they created, with
   * reason `admin`. null: the key does not exist.
   */
  revokeKey(keyId: string, audit?: AuditEvent): Promise<{ key: KeyRow; ended: SessionRow[] } | null>;
  /**
   * Deletes at most `limit` keys that were revoked or expired more than `olderThanMs` ago; returns how many it
   * deleted.
   */
  sweepKeys(options: { olderThanMs: number; limit: number }): Promise<number>;
  /** Records the use of a key, unless one was recorded less than a minute ago. */
  recordKeyUse(use: { keyId: string; address: string }): Promise<void>;
  /**
   * Looks up the principal of a key by its SHA-256 (hex). null: the key is unknown, revoked or expired, or its
   * account is disabled.
   */
  authenticate(hash: string): Promise<Principal | null>;
  /** Returns the subset of the grants (identifiers of keys and watch links) that is valid now. */
  validGrants(grantIds: string[]): Promise<string[]>;
  getUsage(accountId: string): Promise<AccountUsage | null>;
  /** Minutes and sessions of each day of a month (`YYYY-MM`; the current month by default). */
  listUsageDays(accountId: string, month?: string): Promise<UsageDays>;
  /**
   * Returns the secret of this name. The first call creates it (32 random bytes without `make`); all processes get
   * the same value.
   */
  ensureSecret(name: string, make?: () => Uint8Array): Promise<Uint8Array>;
  /** The current secret, followed by the previous one if the secret was rotated. */
  listSecrets(name: string): Promise<Uint8Array[]>;
  /** Replaces all of these secrets or none. Each old value stays available as the previous secret. */
  rotateSecrets(names: readonly string[], audit?: AuditEvent): Promise<void>;
}
