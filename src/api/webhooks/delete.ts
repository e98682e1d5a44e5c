import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { implement } from '../implement.ts';

export const deleteWebhook = implement('webhooks.delete', async ({ store }, { principal, params, audit }) => {
  const isDeleted = await store.deleteWebhook(params.webhook_id, principal.accountId, audit);
  if (!isDeleted) throw resourceNotFound('webhook', params.webhook_id);
  return {};
});
