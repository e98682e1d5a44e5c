import { factsOfKey, newApiKey } from '../../access/api-key.ts';
import { type CreatedKey, MAX_KEYS_PER_ACCOUNT, type Role } from '../../contract/http/key.ts';
import { creationError } from '../../control-plane/refusal-errors.ts';
import { toCreatedKey } from '../../control-plane/views/key-view.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import type { ApiContext } from '../context.ts';
import { idempotency } from '../idempotency.ts';
import type { Caller } from '../implement.ts';

const DAY_MS = 86_400_000;

/** Issues a key to an account. The key itself appears only in the first response, and not in a replay. */
export async function issueKey(
  { store, maxKeyLifetimeMs }: Pick<ApiContext, 'store' | 'maxKeyLifetimeMs'>,
  { principal, idempotencyKey, audit }: Pick<Caller, 'principal' | 'idempotencyKey' | 'audit'>,
  accountId: string,
  wanted: { name: string; role?: Role | undefined; expires_in_days?: number | undefined },
): Promise<CreatedKey> {
  const { name, role = 'user', expires_in_days: days } = wanted;
  const key = newApiKey();
  const validForMs = days === undefined ? null : days * DAY_MS;
  const outcome = await store.createKey(
    {
      key: {
        accountId,
        name,
        role,
        ...factsOfKey(key),
        validForMs,
        creator: creatorOf(principal, accountId),
      },
      createdWith: { keyId: principal.keyId, maxLifetimeMs: maxKeyLifetimeMs },
      by: principal.accountId,
      maxKeys: MAX_KEYS_PER_ACCOUNT,
      idempotency: idempotency(idempotencyKey, ['key', accountId, name, role, days]),
    },
    audit,
  );
  if (!outcome.ok) throw creationError(outcome.refusal, accountId);
  return toCreatedKey(outcome.created, principal, outcome.replayed ? null : key);
}

/**
 * A key that a user creates for their own account belongs to that user and ends when the user is disabled. A key that
 * an operator creates for another account belongs to that account.
 */
const creatorOf = ({ userId, keyId, accountId: own }: Principal, accountId: string) =>
  userId !== null && accountId === own ? { userId, keyId } : null;
