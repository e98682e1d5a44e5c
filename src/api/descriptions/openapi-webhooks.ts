import { EVENTS } from '../../contract/events/event.ts';
import type { WebhookMessageType } from '../../contract/events/webhook.ts';
import { WEBHOOK_HEADERS } from '../../contract/events/webhook-signature.ts';
import type { NamedSchemas } from './named-schemas.ts';

/** A message that the service posts to a webhook. */
export function webhookMessage(name: WebhookMessageType, named: NamedSchemas): object {
  const { data, secretFields }: { data: object; secretFields: readonly string[] } =
    name === 'ping' ? PING : EVENTS[name];
  const header = (header: string, description: string) => ({
    name: header,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId: `webhook.${name}`,
    tags: ['webhooks'],
    summary: `The message ${name}`,
    description:
      'Posted to the URL of a webhook, signed according to Standard Webhooks ' +
      '(https://www.standardwebhooks.com). Any other response than 2xx is retried for a day.',
    security: [],
    parameters: [
      header(WEBHOOK_HEADERS.id, 'Delivery identifier; the same for every attempt'),
      header(WEBHOOK_HEADERS.timestamp, 'Time of the attempt, in seconds since 1970'),
      header(WEBHOOK_HEADERS.signature, 'One or more signatures of the message, separated by spaces'),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { const: name },
              timestamp: { type: 'string', format: 'date-time', description: 'Time of the message' },
              data: named.refer(without(data, secretFields)),
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'The message was received' },
      410: { description: 'The receiver wants no more messages: the webhook is deactivated' },
      '4XX': { description: 'The message was not accepted; it is sent again later' },
    },
  };
}

const PING = {
  data: { type: 'object', properties: {}, description: 'Sent on request, to test a webhook' },
  secretFields: [],
};

/** Returns an object schema without some of its fields. It has no name, because the name has all fields. */
function without(schema: object, fields: readonly string[]): object {
  if (fields.length === 0) return schema;
  const {
    title: _,
    properties,
    required,
    ...rest
  } = schema as Record<string, object> & { required: string[] };
  const kept = Object.entries(properties!).filter(([name]) => !fields.includes(name));
  return {
    ...rest,
    properties: Object.fromEntries(kept),
    required: required.filter((name) => !fields.includes(name)),
  };
}
