import { sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';
import { toWatchLink } from './watch-link-view.ts';

export const listWatchLinks = implement('sessions.watch-links.list', async ({ store }, call) => {
  const { session_id: sessionId } = call.params;
  const { page, page_size: pageSize } = call.query;
  const found = await store.listWatchLinks({
    sessionId,
    accountId: call.principal.accountId,
    page,
    pageSize,
  });
  if (!found) throw sessionNotFound(sessionId);
  return { ...found, items: found.items.map(toWatchLink) };
});
