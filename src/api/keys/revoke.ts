import { ApiError } from '../../contract/http/errors.ts';
import { includesRole } from '../../contract/http/key.ts';
import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { toKey } from '../../control-plane/views/key-view.ts';
import { implement } from '../implement.ts';
import { revokeAndAnnounce } from './revoke-and-announce.ts';

/** Revokes a key of the account. A key of another account is answered as if it did not exist. */
export const revokeKey = implement('keys.revoke', async (context, { principal, params, audit }) => {
  const key = await context.store.getKey(params.key_id);
  if (key?.accountId !== principal.accountId) throw resourceNotFound('key', params.key_id);
  if (!includesRole(principal.role, key.role)) {
    throw new ApiError(
      'forbidden',
      `a key with the role ${principal.role} cannot revoke a key with the role ${key.role}; use a key with at least that role`,
    );
  }
  return toKey(await revokeAndAnnounce(context, key.id, audit), principal);
});
