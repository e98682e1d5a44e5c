import { sessionEnded, sessionNotConnected, sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import type { AuditTarget } from '../../../store/audit/audit-store.ts';
import type { SessionRow } from '../../../store/entities.ts';
import type { ApiContext } from '../../implement.ts';

/** Maximum length of a path in the audit trail. The end of a longer path is kept. */
const MAX_TARGET = 200;

/** The connected session whose files are accessed. @throws ApiError */
export async function fileSession(
  { store }: Pick<ApiContext, 'store'>,
  sessionId: string,
  accountId: string,
): Promise<SessionRow> {
  const session = await store.getSession(sessionId, accountId);
  if (!session) throw sessionNotFound(sessionId);
  if (session.status === 'disconnected') throw sessionEnded(session.id);
  if (session.status === 'connecting') throw sessionNotConnected();
  return session;
}

/** A file in the audit trail: its path. */
export const fileTarget = (path: string): AuditTarget => ({
  kind: 'file',
  id: path.length > MAX_TARGET ? `…${path.slice(1 - MAX_TARGET)}` : path,
});
