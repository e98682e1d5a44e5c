import { toAccount } from '../../../control-plane/views/account-view.ts';
import { implement } from '../../implement.ts';

export const listAccounts = implement('admin.accounts.list', async ({ store }, { query }) => {
  const page = await store.listAccounts({ page: query.page, pageSize: query.page_size });
  return { ...page, items: page.items.map(toAccount) };
});
