import { sessionEnded, sessionNotFound } from '../../control-plane/refusal-errors.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { Store } from '../../store/store.ts';

/**
 * A session of the account that has not ended, for a request that its host answers. Only the host knows whether the
 * phone is ready: it tells the client over the control socket (`session.ready`) before the control plane has stored
 * `connected`, so a condition on the stored status would reject the next request of that client.
 * @throws ApiError 40005, 40013
 */
export async function liveSession(
  { store }: { store: Pick<Store, 'getSession'> },
  sessionId: string,
  accountId: string,
): Promise<SessionRow> {
  const session = await store.getSession(sessionId, accountId);
  if (!session) throw sessionNotFound(sessionId);
  if (session.status === 'disconnected') throw sessionEnded(session.id);
  return session;
}
