import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { publishSessions } from '../../control-plane/session-changes.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { KeyRow } from '../../store/entities.ts';
import type { ApiContext } from '../context.ts';

/** Revokes a key of any account, and announces the sessions that end with it. @throws ApiError 40008 */
export async function revokeAndAnnounce(
  context: ApiContext,
  keyId: string,
  audit: AuditEvent,
): Promise<KeyRow> {
  const revoked = await context.store.revokeKey(keyId, audit);
  if (!revoked) throw resourceNotFound('key', keyId);
  publishSessions(context, revoked.ended);
  return revoked.key;
}
