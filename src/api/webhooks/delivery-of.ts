import { MAX_PENDING_DELIVERIES, type WebhookDelivery } from '../../contract/events/webhook.ts';
import { ApiError, invalidField } from '../../contract/http/errors.ts';
import { resourceNotFound } from '../../control-plane/refusal-errors.ts';
import type { ResendOutcome } from '../../store/webhooks/webhook-store.ts';
import { toDelivery } from './webhook-view.ts';

/** Returns the requested delivery. @throws ApiError when it does not exist or cannot be sent */
export function deliveryOf(
  outcome: ResendOutcome,
  { webhookId, deliveryId = '' }: { webhookId: string; deliveryId?: string },
): WebhookDelivery {
  switch (outcome) {
    case null:
      throw resourceNotFound('webhook', webhookId);
    case 'no-delivery':
      throw resourceNotFound('delivery', deliveryId);
    case 'not-active':
      throw invalidField(
        'params.webhook_id',
        'is the identifier of an inactive webhook, which receives no messages; PATCH the webhook with active ' +
          'true',
      );
    case 'too-many':
      throw new ApiError(
        'rateLimited',
        `${MAX_PENDING_DELIVERIES} messages for this webhook are already pending; try again when some are ` +
          'delivered',
        { limit: MAX_PENDING_DELIVERIES },
        { 'retry-after': '60' },
      );
    default:
      return toDelivery(outcome);
  }
}
