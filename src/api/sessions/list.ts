import { toSession } from '../../control-plane/views/session-view.ts';
import { implement } from '../implement.ts';

export const listSessions = implement('sessions.list', async (context, { principal, query }) => {
  const page = await context.store.listSessions({
    accountId: principal.accountId,
    status: query.status || undefined,
    deviceId: query.device_id || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  return { ...page, items: page.items.map((row) => toSession(context, row, principal)) };
});
