import { implement } from '../../implement.ts';
import { toFleetSession } from './session-view.ts';

export const listFleetSessions = implement('admin.sessions.list', async ({ store }, { query }) => {
  const page = await store.listFleetSessions({
    status: query.status || undefined,
    deviceId: query.device_id || undefined,
    accountId: query.account_id || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  return { ...page, items: page.items.map(toFleetSession) };
});
