import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';
import { oneLine } from './text.ts';

/** Webhooks that an account may have at a time. */
export const MAX_WEBHOOKS_PER_ACCOUNT = 20;
/** Messages that may wait for one webhook; of what comes beyond that its receiver is told `reset`, once there is room. */
export const MAX_PENDING_DELIVERIES = 1_000;
/** How long a delivery can be looked at, and be sent again. */
export const DELIVERY_DAYS = 7;
/** Deliveries that are kept of one webhook, those that wait included. */
export const MAX_DELIVERIES_KEPT = 5_000;
/** How long the secret before still signs after another was made, hours. */
export const SECRET_OVERLAP_H = 24;
/** How long a receiver has for its answer, seconds. */
export const DELIVERY_TIMEOUT_S = 10;

/** What a webhook may ask for. */
export const WEBHOOK_EVENTS = ['device.changed', 'device.removed', 'session.changed'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** All that comes: `reset` when events were missed, `ping` when it was asked for; neither needs to be asked for. */
export const WEBHOOK_MESSAGES = [...WEBHOOK_EVENTS, 'reset', 'ping'] as const;
export type WebhookMessageType = (typeof WEBHOOK_MESSAGES)[number];

export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Who or what took a webhook out of use. */
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

/** An address that is told of events; without its secret, which only the answer that made it has. */
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

/** A webhook as an operator sees it: the path of its address may hold a secret of its account. */
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

/** One message to one webhook, and how its delivery goes. */
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

/** The body that makes a webhook. */
export const newWebhook = {
  url,
  events: Type.Optional(eventList('What it is told of; everything without it')),
  description: Type.Optional(description),
};

/** The body that changes one: what is not in it stays as it is. */
export const webhookChange = {
  url: Type.Optional(url),
  events: Type.Optional(eventList('What it is told of')),
  description: Type.Optional(nullable(description, 'null: none')),
  active: Type.Optional(
    Type.Boolean({ description: 'false: nothing is sent, and what happens meanwhile is not told later' }),
  ),
};
