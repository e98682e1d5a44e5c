import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { toKey } from '../../control-plane/views/key-view.ts';
import { implement } from '../implement.ts';

export const listKeys = implement('keys.list', async ({ store }, { principal, query }) => {
  const { accountId } = principal;
  const page = await store.listKeys({ accountId, page: query.page, pageSize: query.page_size });
  if (!page) throw resourceNotFound('account', accountId);
  return { ...page, items: page.items.map((row) => toKey(row, principal)) };
});
