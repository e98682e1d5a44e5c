import { type Api, succeeded } from '../../black-box/kit/api.ts';

export interface Key {
  id: string;
  name: string;
  role: string;
  prefix: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  last_used_from: string | null;
  current: boolean;
}

export interface Client {
  api: Api;
  accountId: string;
  account: string;
  keyId: string;
  /** The secret key. */
  key: string;
}

/** Creates a client with a new account, or with another key of an existing account. */
export async function newClient(
  admin: Api,
  options: { role?: 'viewer' | 'user' | 'admin'; of?: Client; limits?: object } = {},
): Promise<Client> {
  const { role = 'user', of, limits } = options;
  const account = of?.account ?? `account-${crypto.randomUUID().slice(0, 8)}`;
  const accountId =
    of?.accountId ??
    succeeded(await admin.post<{ id: string }>('/admin/accounts', { name: account, ...limits })).id;
  const made = succeeded(
    await admin.post<Key & { key: string }>(`/admin/accounts/${accountId}/keys`, { name: 'test', role }),
  );
  return { api: admin.withKey(made.key), accountId, account, keyId: made.id, key: made.key };
}
