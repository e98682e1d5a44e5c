import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { implement } from '../implement.ts';
import { toWebhook } from './webhook-view.ts';

export const getWebhook = implement('webhooks.get', async ({ store }, { principal, params }) => {
  const row = await store.getWebhook(params.webhook_id, principal.accountId);
  if (!row) throw resourceNotFound('webhook', params.webhook_id);
  return toWebhook(row);
});
