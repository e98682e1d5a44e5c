import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { implement } from '../implement.ts';
import { toDelivery } from './webhook-view.ts';

export const listDeliveries = implement('webhooks.deliveries', async ({ store }, call) => {
  const { state, page, page_size: pageSize } = call.query;
  const webhookId = call.params.webhook_id;
  const { accountId } = call.principal;
  const found = await store.listDeliveries({
    webhookId,
    accountId,
    page,
    pageSize,
    state: state || undefined,
  });
  if (!found) throw resourceNotFound('webhook', webhookId);
  return { ...found, items: found.items.map(toDelivery) };
});
