import type {
  FleetWebhook,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
} from '../../contract/events/webhook.ts';
import { iso, isoOrNull } from '../../control-plane/iso.ts';
import { secretText } from '../../control-plane/webhooks/sign.ts';
import type { DeliveryRow, WebhookRow } from '../../store/webhooks/webhook-store.ts';

const stateOf = (row: WebhookRow) => ({
  active: row.active,
  inactive_cause: row.inactiveCause,
  inactive_reason: row.inactiveReason,
  failing_since: isoOrNull(row.failingSince),
  created_at: iso(row.createdAt),
});

/** A webhook as shown to its account. */
export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    description: row.description,
    ...stateOf(row),
    previous_secret_until: isoOrNull(row.previousSecretUntil),
  };
}

export const toWebhookWithSecret = (row: WebhookRow, secret: Uint8Array | null): WebhookWithSecret => ({
  ...toWebhook(row),
  secret: secret && secretText(secret),
});

/** A webhook as shown to an operator. It contains the origin of the URL, but not its path and query. */
export function toFleetWebhook(row: WebhookRow & { pending: number }): FleetWebhook {
  return {
    id: row.id,
    account: { id: row.accountId, name: row.accountName },
    origin: new URL(row.url).origin,
    events: row.events,
    ...stateOf(row),
    pending: row.pending,
  };
}

export function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    event: row.event,
    state: row.state,
    attempts: row.attempts,
    created_at: iso(row.createdAt),
    last_attempt_at: isoOrNull(row.lastAttemptAt),
    last_status: row.lastStatus,
    last_error: row.lastError,
    next_attempt_at: isoOrNull(row.nextAttemptAt),
    delivered_at: isoOrNull(row.deliveredAt),
  };
}
