import { MAX_PENDING_DELIVERIES } from '../../contract/events/webhook.ts';
import { implement } from '../implement.ts';
import { deliveryOf } from './delivery-of.ts';

export const testWebhook = implement(
  'webhooks.test',
  async ({ store, webhooks }, { principal, params, audit }) => {
    const webhookId = params.webhook_id;
    const outcome = await store.pingWebhook(
      {
        webhookId,
        accountId: principal.accountId,
        maxPending: MAX_PENDING_DELIVERIES,
      },
      audit,
    );
    webhooks.notify();
    return deliveryOf(outcome, { webhookId });
  },
);
