import type { User } from '../../contract/http/user.ts';
import type { UserRow } from '../../store/accounts/user-store.ts';
import { iso, isoOrNull } from '../iso.ts';

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    account: { id: row.accountId, name: row.accountName },
    role: row.role,
    issuer: row.issuer,
    created_at: iso(row.createdAt),
    last_sign_in_at: isoOrNull(row.lastSignInAt),
    disabled_at: isoOrNull(row.disabledAt),
  };
}
