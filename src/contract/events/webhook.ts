import { type Static, Type } from 'typebox';
import { nullable, timestamp } from '../http/operation.ts';
import { oneLine } from '../http/text.ts';

/** Maximum number of webhooks of an account. */
export const MAX_WEBHOOKS_PER_ACCOUNT = 20;
/**
 * Maximum number of pending messages of one webhook. Later events are dropped, and the receiver gets a `reset` once
 * there is room.
 */
export const MAX_PENDING_DELIVERIES = 1_000;
/** How long a delivery can be read and sent again. */
export const DELIVERY_DAYS = 7;
/** Maximum number of deliveries that are kept of one webhook, including pending ones. */
export const MAX_DELIVERIES_KEPT = 5_000;
/** How long the previous secret still signs after a rotation, in hours. */
export const SECRET_OVERLAP_H = 24;
/** Timeout for a receiver's response, in seconds. */
export const DELIVERY_TIMEOUT_S = 10;

/** The events that a webhook can subscribe to. */
export const WEBHOOK_EVENTS = ['device.changed', 'device.removed', 'session.changed'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/**
 * All message types. A webhook also receives `reset` when events were missed, and `ping` on request, without
 * subscribing to them.
 */
export const WEBHOOK_MESSAGES = [...WEBHOOK_EVENTS, 'reset', 'ping'] as const;
export type WebhookMessageType = (typeof WEBHOOK_MESSAGES)[number];

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What deactivated a webhook. */
export const INACTIVE_CAUSES = ['account', 'receiver', 'operator'] as const;
export type InactiveCause = (typeof INACTIVE_CAUSES)[number];

const eventList = (description: string) =>
  Type.Array(Type.Enum([...WEBHOOK_EVENTS]), {
    minItems: 1,
    maxItems: WEBHOOK_EVENTS.length,
    uniqueItems: true,
    description,
  });

const url = Type.String({
  minLength: 8,
  maxLength: 2_000,
  description:
    'Where messages go: http or https, without a user name or password. Redirects are not followed, and nothing is sent ' +
    'into private networks unless the service is set to allow it',
});
const description = oneLine(200, 'What it is for');

const state = {
  active: Type.Boolean({ description: 'Events are sent to it' }),
  inactive_cause: nullable(
    Type.Enum([...INACTIVE_CAUSES]),
    'account: by PATCH. receiver: everything failed for days, or it answered 410. operator: see the reason',
  ),
  inactive_reason: nullable(Type.String(), 'In words; null while it is active, or where there is none'),
  failing_since: nullable(
    timestamp('Since when nothing could be delivered'),
    'null: the last attempt succeeded',
  ),
  created_at: timestamp('When it was made'),
};

const webhook = {
  id: Type.String({ description: 'Webhook identifier' }),
  url,
  events: eventList('What it is told of'),
  description: nullable(description),
  ...state,
  previous_secret_until: nullable(
    timestamp('Until when messages are signed with the secret before, too'),
    'null: there is one secret',
  ),
};

/** A webhook without its secret, which only the response that created it contains. */
export const Webhook = Type.Object(webhook, { title: 'Webhook' });
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object(
  {
    ...webhook,
    secret: nullable(
      Type.String(),
      'What its messages are signed with, which is in no other answer; null when this is the answer to a repeat',
    ),
  },
  { title: 'WebhookWithSecret' },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

/**
 * A webhook as operators see it. The path of its address is omitted, because it may contain a secret of its account.
 */
export const FleetWebhook = Type.Object(
  {
    id: Type.String({ description: 'Webhook identifier' }),
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    origin: Type.String({ description: 'Its address without path and query' }),
    events: webhook.events,
    ...state,
    pending: Type.Integer({ minimum: 0, description: 'Messages that wait to be delivered' }),
  },
  { title: 'FleetWebhook' },
);
export type FleetWebhook = Static<typeof FleetWebhook>;

/** One message to one webhook, with its delivery status. */
export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'Delivery identifier: the header webhook-id, the same at each attempt' }),
    event: Type.Enum([...WEBHOOK_MESSAGES]),
    state: Type.Enum([...DELIVERY_STATES], {
      description: 'pending: it is tried, or tried again later. delivered: answered with 2xx. dead: given up',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'How often it was tried' }),
    created_at: timestamp('When it was made'),
    last_attempt_at: nullable(timestamp('When it was last tried'), 'null: it was not'),
    last_status: nullable(Type.Integer(), 'HTTP status of the last answer; null: there was none'),
    last_error: nullable(Type.String(), 'What went wrong at the last attempt, in words'),
    next_attempt_at: nullable(timestamp('When it is tried again'), 'null: it is not'),
    delivered_at: nullable(timestamp('When it was delivered'), 'null: it was not'),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** The request body that creates a webhook. */
export const newWebhook = {
  url,
  events: Type.Optional(eventList('What it is told of; everything without it')),
  description: Type.Optional(description),
};

/** The request body that changes a webhook. Omitted fields keep their values. */
export const webhookChange = {
  url: Type.Optional(url),
  events: Type.Optional(eventList('What it is told of')),
  description: Type.Optional(nullable(description, 'null: none')),
  active: Type.Optional(
    Type.Boolean({ description: 'false: nothing is sent, and what happens meanwhile is not told later' }),
  ),
};
