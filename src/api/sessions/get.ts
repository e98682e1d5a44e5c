import { sessionNotFound } from '../../control-plane/refusal-errors.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import { implement } from '../implement.ts';

export const getSession = implement('sessions.get', async (context, { principal, params }) => {
  const session = await context.store.getSession(params.session_id, principal.accountId);
  if (!session) throw sessionNotFound(params.session_id);
  return toSession(context, session, principal);
});
