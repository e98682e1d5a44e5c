import { factsOfKey, newApiKey } from '../api/keys/new-key.ts';
import type { AccountRow, KeyRow, Role, Store } from '../store/store.ts';
import { silentLog } from '../util/log.ts';
import type { Config } from './config.ts';
import { ensureDataFolder } from './data-folder.ts';
import { openConfiguredStore } from './open-configured-store.ts';

export type { AccountRow, KeyRow, Role } from '../store/store.ts';

export interface NewKeyRequest {
  accountName: string;
  name: string;
  role: Role;
  /** Milliseconds from now; null: never. */
  validForMs: number | null;
  /** For an account that does not exist yet; undefined: the configured default. */
  quotaMinutes?: number | null;
  maxSessions?: number | null;
}

/**
 * Accounts and keys, straight on the store: it works beside a running server, which learns of a change within a
 * second, and without one.
 */
export class KeyAdmin implements AsyncDisposable {
  private readonly store: Store;
  private readonly config: Config;

  private constructor(store: Store, config: Config) {
    this.store = store;
    this.config = config;
  }

  static async open(config: Config): Promise<KeyAdmin> {
    await ensureDataFolder(config.dataDir);
    return new KeyAdmin(await openConfiguredStore(config, silentLog), config);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  /** Makes the account when it is new. The key itself is in no row: it is shown once. */
  async create(request: NewKeyRequest): Promise<{ key: string; row: KeyRow; newAccount: boolean }> {
    const { accountName, quotaMinutes, maxSessions } = request;
    const account = await this.store.createAccount({
      name: accountName,
      quotaMinutes: quotaMinutes === undefined ? this.config.quotaMinutes : quotaMinutes,
      maxSessions: maxSessions === undefined ? this.config.maxSessions : maxSessions,
    });
    const newAccount = account !== 'name-taken';
    if (!newAccount && (quotaMinutes !== undefined || maxSessions !== undefined)) {
      throw new Error(`account ${accountName} exists already; its limits were set when it was made`);
    }
    const key = newApiKey();
    const row = await this.store.createKey({
      accountName,
      name: request.name,
      role: request.role,
      ...factsOfKey(key),
      expiresAt: request.validForMs === null ? null : Date.now() + request.validForMs,
    });
    if (row === 'no-such-account') throw new Error(`account ${accountName} was removed meanwhile`);
    return { key, row, newAccount };
  }

  list(accountName?: string): Promise<KeyRow[]> {
    return this.store.listKeys(accountName);
  }

  accounts(): Promise<AccountRow[]> {
    return this.store.listAccounts();
  }

  /** null: no such key. `ended` counts the live sessions that the revocation ended. */
  async revoke(keyId: string): Promise<{ row: KeyRow; ended: number } | null> {
    const revoked = await this.store.revokeKey(keyId);
    return revoked && { row: revoked.key, ended: revoked.ended.length };
  }
}
