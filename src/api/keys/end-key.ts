import type { AuditEvent } from '../../store/admin-store.ts';
import type { KeyRow } from '../../store/store.ts';
import { tellOfEnds } from '../hosts/order.ts';
import type { ApiContext } from '../implement.ts';
import { resourceNotFound } from '../refuse.ts';

/** Revokes a key of any account, and announces the sessions that end with it. @throws ApiError 40008 */
export async function endKey(context: ApiContext, keyId: string, audit: AuditEvent): Promise<KeyRow> {
  const revoked = await context.store.revokeKey(keyId, audit);
  if (!revoked) throw resourceNotFound('key', keyId);
  tellOfEnds(context, revoked.ended);
  return revoked.key;
}
