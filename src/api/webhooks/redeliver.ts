import { MAX_PENDING_DELIVERIES } from '../../contract/events/webhook.ts';
import { implement } from '../implement.ts';
import { deliveryOf } from './delivery-of.ts';

export const redeliver = implement('webhooks.redeliver', async ({ store, webhooks }, call) => {
  const { webhook_id: webhookId, delivery_id: deliveryId } = call.params;
  const outcome = await store.resendDelivery(
    {
      webhookId,
      deliveryId,
      accountId: call.principal.accountId,
      maxPending: MAX_PENDING_DELIVERIES,
    },
    call.audit,
  );
  webhooks.notify();
  return deliveryOf(outcome, { webhookId, deliveryId });
});
