import { Type } from 'typebox';
import { none, type Operation, strict } from '../http/operation.ts';
import { PageQuery, pageSchema } from '../http/page.ts';
import { oneLine } from '../http/text.ts';
import { MAX_REASON_LENGTH } from '../http/text-limits.ts';
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
    summary: 'Create a webhook',
    description:
      'Sends the events of `GET /events` to a URL by POST, signed according to Standard Webhooks ' +
      '(https://www.standardwebhooks.com). Delivery is at least once, and is retried for a day until the ' +
      'receiver answers 2xx. Sessions are sent without their socket URLs. Only this response contains the ' +
      'secret; if the request is repeated with the same Idempotency-Key, `secret` is null. An account can ' +
      `have at most ${MAX_WEBHOOKS_PER_ACCOUNT} webhooks.`,
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
    summary: 'Change the URL, the events or the description of a webhook, or activate or deactivate it',
    description:
      'Fields that are not in the body keep their values. Messages that are pending when the webhook is ' +
      'deactivated are delivered when it is activated again. A webhook that an operator deactivated cannot ' +
      'be activated here (40003).',
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
    summary: 'Delete a webhook and its pending messages',
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
    summary: 'Rotate the secret of a webhook',
    description:
      `For ${SECRET_OVERLAP_H} hours, messages are signed with both the old and the new secret, so that ` +
      'receivers can switch.',
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
    summary: 'Send a `ping` message to a webhook',
    description:
      'The result appears in the deliveries of the webhook. Fails with 40000 if the webhook is inactive.',
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
    summary: 'List the deliveries of a webhook, newest first',
    description: `Deliveries are kept for ${DELIVERY_DAYS} days, at most ${MAX_DELIVERIES_KEPT} for each webhook.`,
    access: 'read',
    params: webhookParams,
    query: strict({
      state: Type.Optional(
        Type.Enum([...DELIVERY_STATES, ''], { description: 'Only deliveries in this state' }),
      ),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(WebhookDelivery),
    errors: ['resourceNotFound'],
  },
  'webhooks.redeliver': {
    method: 'POST',
    path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    summary: 'Send a message again, whatever the state of its delivery',
    description:
      'The message keeps its identifier and content, and is retried like a new one. A delivery that is in ' +
      'progress is left unchanged. Fails with 40000 if the webhook is inactive.',
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
      account_id: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only webhooks of this account' }),
      ),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(FleetWebhook),
    errors: [],
  },
  'admin.webhooks.update': {
    method: 'PATCH',
    path: '/admin/webhooks/{webhook_id}',
    summary: 'Deactivate a webhook, or allow it again',
    description: 'The account sees the reason, and cannot activate the webhook again itself.',
    access: 'admin',
    params: webhookParams,
    query: none,
    body: strict({
      active: Type.Boolean({ description: 'false: no messages are sent to it' }),
      reason: Type.Optional(oneLine(MAX_REASON_LENGTH, 'Reason, shown to the account')),
    }),
    answer: FleetWebhook,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;

export const webhookOperations = { ...ownWebhooks, ...deliveries, ...operators };
