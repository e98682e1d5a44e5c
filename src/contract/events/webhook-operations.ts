import { Type } from 'typebox';
import { none, type Operation, strict } from '../http/operation.ts';
import { PageQuery, pageSchema } from '../http/page.ts';
import { oneLine } from '../http/text.ts';
import {
  DELIVERY_DAYS,
  DELIVERY_STATES,
  FleetWebhook,
  MAX_DELIVERIES_KEPT,
  MAX_WEBHOOKS_PER_ACCOUNT,
  newWebhook,
  SECRET_OVERLAP_H,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
  webhookChange,
} from './webhook.ts';

const webhookId = Type.String({ description: 'Webhook identifier' });
const webhookParams = strict({ webhook_id: webhookId });

const ownWebhooks = {
  'webhooks.create': {
    method: 'POST',
    path: '/webhooks',
    summary: 'Have events sent to an address',
    description:
      'What `GET /events` tells is sent there by POST, signed as the Standard Webhooks specification says ' +
      '(https://www.standardwebhooks.com), at least once, and again for a day while the receiver does not answer 2xx. ' +
      'A session is told without the addresses of its sockets. The secret is in this answer and in no other; a repeat ' +
      `with the same Idempotency-Key answers it as null. An account has at most ${MAX_WEBHOOKS_PER_ACCOUNT}.`,
    access: 'borrow',
    params: none,
    query: none,
    body: strict(newWebhook),
    answer: WebhookWithSecret,
    errors: ['quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'webhooks.list': {
    method: 'GET',
    path: '/webhooks',
    summary: 'List the account’s webhooks, newest first',
    access: 'read',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Webhook),
    errors: [],
  },
  'webhooks.get': {
    method: 'GET',
    path: '/webhooks/{webhook_id}',
    summary: 'Show one webhook',
    access: 'read',
    params: webhookParams,
    query: none,
    body: none,
    answer: Webhook,
    errors: ['resourceNotFound'],
  },
  'webhooks.update': {
    method: 'PATCH',
    path: '/webhooks/{webhook_id}',
    summary: 'Change where a webhook goes and what it is told of, or take it in and out of use',
    description:
      'What is not in the body stays as it is. What waits while it is not active goes out when it is again. One that an ' +
      'operator took out of use stays so (40003).',
    access: 'borrow',
    params: webhookParams,
    query: none,
    body: strict(webhookChange),
    answer: Webhook,
    errors: ['resourceNotFound'],
  },
  'webhooks.delete': {
    method: 'DELETE',
    path: '/webhooks/{webhook_id}',
    summary: 'Delete a webhook with all that waits for it',
    access: 'borrow',
    params: webhookParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['resourceNotFound'],
  },
  'webhooks.rotate': {
    method: 'POST',
    path: '/webhooks/{webhook_id}/rotate',
    summary: 'Make another secret for a webhook',
    description: `For ${SECRET_OVERLAP_H} hours messages carry the signatures of both, so that receivers can change over.`,
    access: 'borrow',
    params: webhookParams,
    query: none,
    body: none,
    answer: WebhookWithSecret,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;

const deliveries = {
  'webhooks.test': {
    method: 'POST',
    path: '/webhooks/{webhook_id}/test',
    summary: 'Send a message of the type ping to a webhook',
    description: 'How that went is in its deliveries. A webhook that is not active is 40000.',
    access: 'borrow',
    params: webhookParams,
    query: none,
    body: none,
    answer: WebhookDelivery,
    errors: ['resourceNotFound', 'rateLimited'],
  },
  'webhooks.deliveries': {
    method: 'GET',
    path: '/webhooks/{webhook_id}/deliveries',
    summary: 'List what was sent to a webhook and what waits to be, newest first',
    description: `They are kept for ${DELIVERY_DAYS} days, and of one webhook the last ${MAX_DELIVERIES_KEPT}.`,
    access: 'read',
    params: webhookParams,
    query: strict({
      state: Type.Optional(Type.Enum([...DELIVERY_STATES, ''], { description: 'Only this state' })),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(WebhookDelivery),
    errors: ['resourceNotFound'],
  },
  'webhooks.redeliver': {
    method: 'POST',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    summary: 'Send a message once more, now, whatever became of it',
    description:
      'It has the same identifier and content, and is tried as often as a new one. One that is on its way at this moment ' +
      'stays as it is. A webhook that is not active is 40000.',
    access: 'borrow',
    params: strict({
      webhook_id: webhookId,
      delivery_id: Type.String({ description: 'Delivery identifier' }),
    }),
    query: none,
    body: none,
    answer: WebhookDelivery,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;

const operators = {
  'admin.webhooks.list': {
    method: 'GET',
    path: '/admin/webhooks',
    summary: 'List the webhooks of all accounts, newest first',
    access: 'admin',
    params: none,
    query: strict({
      account_id: Type.Optional(Type.String({ maxLength: 200, description: 'Only those of this account' })),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(FleetWebhook),
    errors: [],
  },
  'admin.webhooks.update': {
    method: 'PATCH',
    path: '/admin/webhooks/{webhook_id}',
    summary: 'Take a webhook out of use, or allow it again',
    description: 'Its account sees the reason, and cannot take it into use again.',
    access: 'admin',
    params: webhookParams,
    query: none,
    body: strict({
      active: Type.Boolean({ description: 'false: nothing is sent to it' }),
      reason: Type.Optional(oneLine(200, 'Why, for its account')),
    }),
    answer: FleetWebhook,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;

export const webhookOperations = { ...ownWebhooks, ...deliveries, ...operators };
