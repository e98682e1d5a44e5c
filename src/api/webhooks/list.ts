import { implement } from '../implement.ts';
import { toWebhook } from './webhook-view.ts';

export const listWebhooks = implement('webhooks.list', async ({ store }, { principal, query }) => {
  const { page, page_size: pageSize } = query;
  const found = await store.listWebhooks({ accountId: principal.accountId, page, pageSize });
  return { ...found, items: found.items.map(toWebhook) };
});
