import { ApiError } from '../../contract/http/errors.ts';
import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { readReceiverUrl } from '../../control-plane/webhooks/receiver-url.ts';
import { implement } from '../implement.ts';
import { toWebhook } from './webhook-view.ts';

export const updateWebhook = implement('webhooks.update', async ({ store, webhooks }, call) => {
  const { url, events, description, active } = call.body;
  const webhookId = call.params.webhook_id;
  const startAt = active ? (await store.readEvents(null, 1)).cursor : null;
  const change = {
    webhookId,
    accountId: call.principal.accountId,
    events,
    description,
    active,
    url: url === undefined ? undefined : readReceiverUrl(url, webhooks.mayBePrivate),
  };
  const outcome = await store.updateWebhook(change, startAt, call.audit);
  if (!outcome) throw resourceNotFound('webhook', webhookId);
  if (outcome === 'blocked') {
    throw new ApiError(
      'forbidden',
      'an operator deactivated this webhook, and only an operator can activate it; inactive_reason says why',
    );
  }
  if (active) webhooks.notify();
  return toWebhook(outcome);
});
