import { implement } from '../../implement.ts';
import { toFleetWebhook } from '../../webhooks/webhook-view.ts';

export const listFleetWebhooks = implement('admin.webhooks.list', async ({ store }, { query }) => {
  const found = await store.listWebhooks({
    accountId: query.account_id || undefined,
    page: query.page,
    pageSize: query.page_size,
  });
  return { ...found, items: found.items.map(toFleetWebhook) };
});
