import { MAX_WEBHOOKS_PER_ACCOUNT, WEBHOOK_EVENTS } from '../../contract/events/webhook.ts';
import { creationError } from '../../control-plane/refusal-errors.ts';
import { readReceiverUrl } from '../../control-plane/webhooks/receiver-url.ts';
import { newWebhookSecret } from '../../control-plane/webhooks/sign.ts';
import { idempotency } from '../idempotency.ts';
import { implement } from '../implement.ts';
import { toWebhookWithSecret } from './webhook-view.ts';

/** The secret appears only in this response. */
export const createWebhook = implement('webhooks.create', async ({ store, webhooks }, call) => {
  const { accountId } = call.principal;
  const url = readReceiverUrl(call.body.url, webhooks.mayBePrivate);
  const events = call.body.events ?? [...WEBHOOK_EVENTS];
  const description = call.body.description ?? null;
  const secret = newWebhookSecret();
  // The cursor is read before the webhook is created, so that no event after the response is missed.
  const { cursor } = await store.readEvents(null, 1);
  const outcome = await store.createWebhook(
    {
      webhook: { accountId, url, events, description, secret },
      maxWebhooks: MAX_WEBHOOKS_PER_ACCOUNT,
      startAt: cursor,
      idempotency: idempotency(call.idempotencyKey, ['webhook', url, events, description]),
    },
    call.audit,
  );
  if (!outcome.ok) throw creationError(outcome.refusal, accountId);
  return toWebhookWithSecret(outcome.created, outcome.replayed ? null : secret);
});
