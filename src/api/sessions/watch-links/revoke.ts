import { resourceNotFound, sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';
import { toWatchLink } from './watch-link-view.ts';

export const revokeWatchLink = implement('sessions.watch-links.revoke', async ({ store }, call) => {
  const { session_id: sessionId, link_id: linkId } = call.params;
  const { accountId } = call.principal;
  const link = await store.revokeWatchLink({ linkId, sessionId, accountId }, call.audit);
  if (link) return toWatchLink(link);
  if (!(await store.getSession(sessionId, accountId))) throw sessionNotFound(sessionId);
  throw resourceNotFound('watch link', linkId);
});
