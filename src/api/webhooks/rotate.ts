import { SECRET_OVERLAP_H } from '../../contract/events/webhook.ts';
import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import { newWebhookSecret } from '../../control-plane/webhooks/sign.ts';
import { implement } from '../implement.ts';
import { toWebhookWithSecret } from './webhook-view.ts';

export const rotateWebhook = implement('webhooks.rotate', async ({ store }, { principal, params, audit }) => {
  const secret = newWebhookSecret();
  const row = await store.rotateWebhookSecret(
    {
      webhookId: params.webhook_id,
      accountId: principal.accountId,
      secret,
      overlapMs: SECRET_OVERLAP_H * 3_600_000,
    },
    audit,
  );
  if (!row) throw resourceNotFound('webhook', params.webhook_id);
  return toWebhookWithSecret(row, secret);
});
