import { factsOfKey, newApiKey } from '../access/api-key.ts';
import type { Account } from '../contract/http/account.ts';
import type { Key, Role } from '../contract/http/key.ts';
import type { User } from '../contract/http/user.ts';
import { toAccount } from '../control-plane/views/account-view.ts';
import { toKey } from '../control-plane/views/key-view.ts';
import { toUser } from '../control-plane/views/user-view.ts';
import type { AccountChange } from '../store/accounts/account-store.ts';
import { type AccountRow, ALL_ROWS, type KeyRow } from '../store/entities.ts';
import type { StoreSettings } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { commandEvent } from './command-event.ts';
import { openStoreForCommand } from './open-store.ts';

/** A key as the API shows it, with the account that it belongs to. */
export interface OwnedKey extends Key {
  account: { id: string; name: string };
}

interface AccountAdminSettings extends StoreSettings {
  /** Default limits of a new account; null: unlimited. */
  quotaMinutes: number | null;
  maxSessions: number | null;
  maxAppStorageBytes: number | null;
  maxArtifactBytes: number | null;
  artifactDays: number | null;
}

export interface NewKeyRequest {
  accountName: string;
  name: string;
  role: Role;
  /** Lifetime of the key in milliseconds; null: it does not expire. */
  validForMs: number | null;
  /** For an account that does not exist yet. undefined: the configured default. */
  quotaMinutes?: number | null;
  maxSessions?: number | null;
}

/**
 * Manages accounts, their users and keys directly in the store, with or without a running server. A running server
 * applies a change within a second.
 */
export class AccountAdmin implements AsyncDisposable {
  private readonly store: Store;
  private readonly config: AccountAdminSettings;

  private constructor(store: Store, config: AccountAdminSettings) {
    this.store = store;
    this.config = config;
  }

  static async open(config: AccountAdminSettings): Promise<AccountAdmin> {
    return new AccountAdmin(await openStoreForCommand(config), config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  /** Creates a key, and its account if that does not exist. The key itself is not stored; it is shown only once. */
  async create(request: NewKeyRequest): Promise<{ key: string; created: OwnedKey; newAccount: boolean }> {
    const { accountName, quotaMinutes, maxSessions } = request;
    const account = {
      name: accountName,
      quotaMinutes: quotaMinutes === undefined ? this.config.quotaMinutes : quotaMinutes,
      maxSessions: maxSessions === undefined ? this.config.maxSessions : maxSessions,
      maxAppBytes: this.config.maxAppStorageBytes,
      maxArtifactBytes: this.config.maxArtifactBytes,
      artifactDays: this.config.artifactDays,
    };
    const { ok: newAccount } = await this.store.createAccount({ account, by: null, idempotency: null });
    if (!newAccount && (quotaMinutes !== undefined || maxSessions !== undefined)) {
      throw new Error(
        `account ${accountName} already exists; change its limits with phonebooth accounts set`,
      );
    }
    const owner = await this.store.getAccountByName(accountName);
    const made = owner && (await this.createKey(owner, request));
    if (!made)
      throw new Error(
        `account ${accountName} was deleted by another command; repeat this command to create it and the key`,
      );
    return { ...made, newAccount };
  }

  /** Lists the keys of one account or of all accounts, oldest first. @throws Error when the account does not exist */
  async list(accountName?: string): Promise<OwnedKey[]> {
    const account = accountName === undefined ? undefined : await this.store.getAccountByName(accountName);
    if (accountName !== undefined && !account) throw noSuchAccount(accountName);
    return (await this.store.listFleetKeys({ accountId: account?.id, ...ALL_ROWS })).items.map(toOwnedKey);
  }

  /** Lists all accounts with their use, sorted by name. */
  async accounts(): Promise<Account[]> {
    return (await this.store.listAccounts(ALL_ROWS)).items.map(toAccount);
  }

  /** Lists users sorted by name, including disabled ones. @throws Error when the account does not exist */
  async users(accountName?: string): Promise<User[]> {
    const account = accountName === undefined ? undefined : await this.store.getAccountByName(accountName);
    if (accountName !== undefined && !account) throw noSuchAccount(accountName);
    return (await this.store.listUsers({ accountId: account?.id, ...ALL_ROWS })).items.map(toUser);
  }

  /**
   * Returns null when the user does not exist. `ended` is the number of live sessions that disabling the user ended.
   */
  async updateUser(userId: string, disabled: boolean): Promise<{ user: User; ended: number } | null> {
    const audit = commandEvent(disabled ? 'users.disable' : 'users.enable');
    const changed = await this.store.updateUser({ userId, disabled }, audit);
    return changed && { user: toUser(changed.user), ended: changed.ended.length };
  }

  /**
   * `ended` is the number of live sessions that disabling the account ended.
   * @throws Error when the account does not exist, or the new name is taken
   */
  async updateAccount(
    name: string,
    change: Omit<AccountChange, 'accountId'>,
  ): Promise<{ account: Account; ended: number }> {
    const account = await this.store.getAccountByName(name);
    const audit = commandEvent('accounts.set');
    const changed = account && (await this.store.updateAccount({ ...change, accountId: account.id }, audit));
    if (!changed) throw noSuchAccount(name);
    if (changed === 'name-taken')
      throw new Error(`account ${change.name} already exists; choose another name`);
    return { account: toAccount(changed.account), ended: changed.ended.length };
  }

  /** Returns null when the key does not exist. `ended` is the number of live sessions that the revocation ended. */
  async revoke(keyId: string): Promise<{ key: OwnedKey; ended: number } | null> {
    const revoked = await this.store.revokeKey(keyId, commandEvent('keys.revoke'));
    return revoked && { key: toOwnedKey(revoked.key), ended: revoked.ended.length };
  }

  /** Returns null when the account does not exist any more. */
  private async createKey(
    { id: accountId }: AccountRow,
    { name, role, validForMs }: NewKeyRequest,
  ): Promise<{ key: string; created: OwnedKey } | null> {
    const key = newApiKey();
    const outcome = await this.store.createKey(
      {
        key: { accountId, name, role, ...factsOfKey(key), validForMs, creator: null },
        createdWith: null,
        by: null,
        maxKeys: null,
        idempotency: null,
      },
      { ...commandEvent('keys.create'), targets: [{ kind: 'account', id: accountId }] },
    );
    return outcome.ok ? { key, created: toOwnedKey(outcome.created) } : null;
  }
}

const toOwnedKey = (row: KeyRow): OwnedKey => ({
  ...toKey(row, null),
  account: { id: row.accountId, name: row.accountName },
});

const noSuchAccount = (name: string) =>
  new Error(`account ${name} does not exist; list the accounts with phonebooth accounts list`);
