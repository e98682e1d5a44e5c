import { factsOfKey, newApiKey } from '../access/api-key.ts';
import type { Role } from '../contract/http/key.ts';
import type { Page } from '../contract/http/page.ts';
import type { AccountChange, AccountUse } from '../store/accounts/account-store.ts';
import type { UserRow } from '../store/accounts/user-store.ts';
import type { KeyRow, Paging } from '../store/entities.ts';
import type { StoreSettings } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { commandEvent } from './command-event.ts';
import { openStoreForCommand } from './open-store.ts';

export type { Role } from '../contract/http/key.ts';
export type { AccountUse } from '../store/accounts/account-store.ts';
export type { UserRow } from '../store/accounts/user-store.ts';
export type { KeyRow } from '../store/entities.ts';

const PAGE_SIZE = 100;

interface KeyAdminSettings extends StoreSettings {
  /** Default limits of a new account; null: unlimited. */
  quotaMinutes: number | null;
  maxSessions: number | null;
  maxAppStorageBytes: number | null;
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
export class KeyAdmin implements AsyncDisposable {
  private readonly store: Store;
  private readonly config: KeyAdminSettings;

  private constructor(store: Store, config: KeyAdminSettings) {
    this.store = store;
    this.config = config;
  }

  static async open(config: KeyAdminSettings): Promise<KeyAdmin> {
    return new KeyAdmin(await openStoreForCommand(config), config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  /** Creates a key, and its account if that does not exist. The key itself is not stored; it is shown only once. */
  async create(request: NewKeyRequest): Promise<{ key: string; row: KeyRow; newAccount: boolean }> {
    const { accountName, quotaMinutes, maxSessions } = request;
    const account = await this.store.addAccount({
      name: accountName,
      quotaMinutes: quotaMinutes === undefined ? this.config.quotaMinutes : quotaMinutes,
      maxSessions: maxSessions === undefined ? this.config.maxSessions : maxSessions,
      maxAppBytes: this.config.maxAppStorageBytes,
    });
    const newAccount = account !== 'name-taken';
    if (!newAccount && (quotaMinutes !== undefined || maxSessions !== undefined)) {
      throw new Error(
        `account ${accountName} already exists; change its limits with phonebooth accounts set`,
      );
    }
    const key = newApiKey();
    const row = await this.store.addKey(
      {
        accountName,
        name: request.name,
        role: request.role,
        ...factsOfKey(key),
        validForMs: request.validForMs,
      },
      commandEvent('keys.create'),
    );
    if (row === 'no-such-account')
      throw new Error(
        `account ${accountName} was deleted by another command; repeat this command to create it and the key`,
      );
    return { key, row, newAccount };
  }

  list(accountName?: string): Promise<KeyRow[]> {
    return this.store.allKeys(accountName);
  }

  /** Lists all accounts with their use, sorted by name. */
  async accounts(): Promise<AccountUse[]> {
    return everyPage((paging) => this.store.listAccounts(paging));
  }

  /** Lists users sorted by name, including disabled ones. @throws Error when the account does not exist */
  async users(accountName?: string): Promise<UserRow[]> {
    const account =
      accountName === undefined
        ? undefined
        : (await this.store.allAccounts()).find(({ name }) => name === accountName);
    if (accountName !== undefined && !account) throw noSuchAccount(accountName);
    return everyPage((paging) => this.store.listUsers({ accountId: account?.id, ...paging }));
  }

  /**
   * Returns null when the user does not exist. `ended` is the number of live sessions that disabling the user ended.
   */
  async updateUser(userId: string, disabled: boolean): Promise<{ user: UserRow; ended: number } | null> {
    const audit = commandEvent(disabled ? 'users.disable' : 'users.enable');
    const changed = await this.store.updateUser({ userId, disabled }, audit);
    return changed && { user: changed.user, ended: changed.ended.length };
  }

  /**
   * `ended` is the number of live sessions that disabling the account ended.
   * @throws Error when the account does not exist, or the new name is taken
   */
  async updateAccount(
    name: string,
    change: Omit<AccountChange, 'accountId'>,
  ): Promise<{ account: AccountUse; ended: number }> {
    const account = (await this.store.allAccounts()).find((row) => row.name === name);
    const audit = commandEvent('accounts.set');
    const changed = account && (await this.store.updateAccount({ ...change, accountId: account.id }, audit));
    if (!changed) throw noSuchAccount(name);
    if (changed === 'name-taken')
      throw new Error(`account ${change.name} already exists; choose another name`);
    return { account: changed.account, ended: changed.ended.length };
  }

  /** Returns null when the key does not exist. `ended` is the number of live sessions that the revocation ended. */
  async revoke(keyId: string): Promise<{ row: KeyRow; ended: number } | null> {
    const revoked = await this.store.revokeKey(keyId, commandEvent('keys.revoke'));
    return revoked && { row: revoked.key, ended: revoked.ended.length };
  }
}

const noSuchAccount = (name: string) =>
  new Error(`account ${name} does not exist; list the accounts with phonebooth accounts list`);

async function everyPage<T>(read: (paging: Paging) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await read({ page, pageSize: PAGE_SIZE });
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}
