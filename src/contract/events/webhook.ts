import { type Static, Type } from 'typebox';
import { nullable, timestamp } from '../http/operation.ts';
import { oneLine } from '../http/text.ts';
import { EVENT_NAMES, EVENTS, type EventName } from './event.ts';

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
export type WebhookEvent = {
  [Name in EventName]: (typeof EVENTS)[Name]['webhooks'] extends 'subscribed' ? Name : never;
}[EventName];
export const WEBHOOK_EVENTS = EVENT_NAMES.filter(
  (name): name is WebhookEvent => EVENTS[name].webhooks === 'subscribed',
);

/**
 * All message types. A webhook also receives `reset` when events were missed, and `ping` on request, without
 * subscribing to them.
 */
export const WEBHOOK_MESSAGES = [...EVENT_NAMES, 'ping'] as const;
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
  maxLength: 2_000,
  description:
    'URL that receives the messages: http or https, without a user name or password. Redirects are not ' +
    'followed. Private addresses and localhost are rejected unless the service allows them; a host name is ' +
    'resolved, and its addresses checked, for each message',
});
const description = oneLine(200, 'Purpose of the webhook');

const state = {
  active: Type.Boolean({ description: 'Whether events are sent to the webhook' }),
  inactive_cause: nullable(
    Type.Enum([...INACTIVE_CAUSES]),
    'account: deactivated by PATCH. receiver: all deliveries failed for days, or the receiver answered ' +
      '410. operator: deactivated by an operator, see the reason',
  ),
  inactive_reason: nullable(
    Type.String(),
    'Reason as text; null if the webhook is active or no reason was given',
  ),
  failing_since: nullable(
    timestamp('Time since which all deliveries have failed'),
    'null if the last attempt succeeded',
  ),
  created_at: timestamp('Creation time'),
};

const webhook = {
  id: Type.String({ description: 'Webhook identifier' }),
  url,
  events: eventList('Events that the webhook receives'),
  description: nullable(description),
  ...state,
  previous_secret_until: nullable(
    timestamp('Time until which messages are also signed with the previous secret'),
    'null if there is only one valid secret',
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
      'Secret that messages are signed with. Only this response contains it; null in the response to a ' +
        'repeated request',
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
    origin: Type.String({ description: 'Origin of the URL, without path and query' }),
    events: webhook.events,
    ...state,
    pending: Type.Integer({ minimum: 0, description: 'Number of messages that are pending' }),
  },
  { title: 'FleetWebhook' },
);
export type FleetWebhook = Static<typeof FleetWebhook>;

/** One message to one webhook, with its delivery status. */
export const WebhookDelivery = Type.Object(
  {
    id: Type.String({
      description: 'Delivery identifier, sent in the header `webhook-id`; the same for every attempt',
    }),
    event: Type.Enum([...WEBHOOK_MESSAGES]),
    state: Type.Enum([...DELIVERY_STATES], {
      description:
        'pending: being sent, or waiting for the next attempt. delivered: the receiver answered 2xx. dead: ' +
        'given up after the last attempt',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Number of attempts' }),
    created_at: timestamp('Creation time'),
    last_attempt_at: nullable(timestamp('Time of the last attempt'), 'null if there was no attempt yet'),
    last_status: nullable(Type.Integer(), 'HTTP status of the last response; null if there was none'),
    last_error: nullable(Type.String(), 'Error of the last attempt'),
    next_attempt_at: nullable(timestamp('Time of the next attempt'), 'null if no attempt is planned'),
    delivered_at: nullable(timestamp('Time of the successful delivery'), 'null if it was not delivered'),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** The request body that creates a webhook. */
export const newWebhook = {
  url,
  events: Type.Optional(eventList('Events that the webhook receives; all events if omitted')),
  description: Type.Optional(description),
};

/** The request body that changes a webhook. Omitted fields keep their values. */
export const webhookChange = {
  url: Type.Optional(url),
  events: Type.Optional(eventList('Events that the webhook receives')),
  description: Type.Optional(nullable(description, 'null removes it')),
  active: Type.Optional(
    Type.Boolean({
      description:
        'false: no messages are sent, and events that happen while the webhook is inactive are not sent later',
    }),
  ),
};
