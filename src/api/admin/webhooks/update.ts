import { resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';
import { toFleetWebhook } from '../../webhooks/webhook-view.ts';

export const updateFleetWebhook = implement('admin.webhooks.update', async ({ store, webhooks }, call) => {
  const { active, reason = null } = call.body;
  const webhookId = call.params.webhook_id;
  const startAt = active ? (await store.readEvents(null, 1)).cursor : null;
  const outcome = await store.updateWebhook(
    { webhookId, active, cause: 'operator', reason },
    startAt,
    call.audit,
  );
  if (!outcome || outcome === 'blocked') throw resourceNotFound('webhook', webhookId);
  if (active) webhooks.notify();
  return toFleetWebhook(outcome);
});
