import type { CreatedKey, Key } from '../../contract/http/key.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import type { KeyRow } from '../../store/entities.ts';
import { iso, isoOrNull } from '../iso.ts';

/** `principal`: the key of the request; null for an operator command. */
export function toKey(row: KeyRow, principal: Principal | null): Key {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    prefix: row.prefix,
    created_at: iso(row.createdAt),
    expires_at: isoOrNull(row.expiresAt),
    revoked_at: isoOrNull(row.revokedAt),
    last_used_at: isoOrNull(row.lastUsedAt),
    last_used_from: row.lastUsedFrom,
    user: row.user,
    signed_in: row.signedIn,
    current: row.id === principal?.keyId,
  };
}

export const toCreatedKey = (row: KeyRow, principal: Principal, key: string | null): CreatedKey => ({
  ...toKey(row, principal),
  key,
});
