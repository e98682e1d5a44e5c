import { resourceNotFound } from '../../../../control-plane/refusal-errors.ts';
import { toKey } from '../../../../control-plane/views/key-view.ts';
import { implement } from '../../../implement.ts';

export const listAccountKeys = implement('admin.accounts.keys.list', async ({ store }, call) => {
  const { params, query, principal } = call;
  const accountId = params.account_id;
  const page = await store.listKeys({ accountId, page: query.page, pageSize: query.page_size });
  if (!page) throw resourceNotFound('account', accountId);
  return { ...page, items: page.items.map((row) => toKey(row, principal)) };
});
