import { toUser } from '../../../control-plane/views/user-view.ts';
import { implement } from '../../implement.ts';

export const listUsers = implement('admin.users.list', async ({ store }, { query }) => {
  const page = await store.listUsers({
    accountId: query.account_id || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  return { ...page, items: page.items.map(toUser) };
});
