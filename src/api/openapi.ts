import { EVENTS } from '../contract/events/event.ts';
import { WEBHOOK_MESSAGES, type WebhookMessageType } from '../contract/events/webhook.ts';
import { WEBHOOK_HEADERS } from '../contract/events/webhook-signature.ts';
import { ErrorEnvelope, SuccessEnvelope, success } from '../contract/http/envelope.ts';
import { ERRORS, type ErrorName } from '../contract/http/errors.ts';
import type { Operation } from '../contract/http/operation.ts';
import type { OperationId } from '../contract/http/operations.ts';
import { EVENT_STREAM } from '../control-plane/events/server-sent-events.ts';
import { JSON_LINES } from './json-lines.ts';
import { NamedSchemas } from './named-schemas.ts';
import { BODY_EXAMPLES, ERROR_EXAMPLES, SCHEMA_EXAMPLES } from './openapi-examples.ts';

const JSON_TYPE = 'application/json';

/** Errors that any operation can return. */
const ALWAYS: ErrorName[] = [
  'invalid',
  'unauthorized',
  'rateLimited',
  'bodyTooLarge',
  'unsupportedMediaType',
  'internal',
  'unavailable',
];

/** The groups of operations. The first part of an operation's id is its group. */
const TAGS: Readonly<Record<string, string>> = {
  devices: 'Phones that the account can borrow',
  sessions: 'Borrowed phones, their screenshots, apps and watch links',
  apps: 'Uploaded Android apps',
  usage: 'Quota of the account and its use',
  events: 'Changes of phones and sessions as a stream',
  keys: 'API keys of the account',
  webhooks: 'URLs that receive the events of the account, and what they receive',
  admin: 'For operators: devices, hosts, groups, accounts, users, sessions, webhooks and the audit trail',
};

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, object>>;
  [member: string]: unknown;
}

/** Builds the OpenAPI document of the operations. `basePath` is the path of the API on its origin. */
export function openApiDocument(
  basePath: string,
  operations: Readonly<Record<OperationId, Operation>>,
): OpenApiDocument {
  const examples = Object.entries(SCHEMA_EXAMPLES).map(
    ([name, example]) => [name, { examples: [example] }] as const,
  );
  const named = new NamedSchemas(Object.fromEntries(examples));
  const paths: OpenApiDocument['paths'] = {};
  for (const [id, operation] of Object.entries(operations)) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = describe(id as OperationId, operation, named);
  }
  const webhooks = Object.fromEntries(WEBHOOK_MESSAGES.map((name) => [name, { post: message(name, named) }]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Phonebooth',
      version: '1',
      description:
        'Borrow real phones by the minute: list them, connect to one, see its screen, control it, and end ' +
        'the session.',
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: named.schemas,
      examples: errorExamples(paths),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
      },
    },
    security: [{ apiKey: [] }],
  };
}

function describe(id: OperationId, operation: Operation, named: NamedSchemas): object {
  const errors = [
    ...ALWAYS,
    ...operation.errors.filter((name) => !ALWAYS.includes(name)),
    ...(operation.access === 'read' ? [] : (['forbidden'] as const)),
  ];
  const parameters = [
    ...parametersIn('path', operation.params),
    ...parametersIn('query', operation.query),
    ...headersOf(operation),
  ];
  return {
    operationId: id,
    tags: [id.split('.', 1)[0]!],
    summary: operation.summary,
    description: operation.description ?? `${operation.summary}.`,
    ...(parameters.length > 0 && { parameters: named.refer(parameters) }),
    ...bodyOf(id, operation, named),
    responses: {
      200: successResponse(operation, named),
      ...partialResponse(operation),
      ...errorResponses(errors, named),
    },
  };
}

/** Parameters with a default are optional. The schema requires them, because handlers always receive them. */
function parametersIn(place: 'path' | 'query', schema: Operation['query']): object[] {
  const required = (schema.required ?? []) as string[];
  return Object.entries(schema.properties as Record<string, { description?: string }>).map(
    ([name, { description, ...schema }]) => ({
      ...{ name, in: place },
      required: place === 'path' || (required.includes(name) && !('default' in schema)),
      ...(description !== undefined && { description }),
      schema,
    }),
  );
}

function headersOf({ answer, idempotencyKey, ranges }: Operation): object[] {
  const header = (name: string, description: string) => ({
    ...{ name, in: 'header', required: false, description },
    schema: { type: 'string' },
  });
  return [
    ...(idempotencyKey
      ? [
          header(
            'Idempotency-Key',
            'A repeated request with the same key returns the result of the first one',
          ),
        ]
      : []),
    ...(answer === EVENT_STREAM
      ? [header('Last-Event-ID', 'Id of the last event that was received; the stream resumes after it')]
      : []),
    ...(ranges
      ? [
          header('Range', 'The part to return, such as `bytes=0-1023`, `bytes=1024-` or `bytes=-512`'),
          header(
            'If-Range',
            'The `ETag` of an earlier response; if it is another one, the response is the whole file',
          ),
        ]
      : []),
  ];
}

function bodyOf(id: OperationId, { body, upload, uploadLimit }: Operation, named: NamedSchemas): object {
  if (upload) return { requestBody: { required: true, content: fileContent(upload, uploadLimit) } };
  if (Object.keys(body.properties).length === 0) return {};
  const required = (body.required ?? []) as string[];
  const properties = Object.fromEntries(
    Object.entries(body.properties as Record<string, object>).map(([name, schema]) => [
      name,
      required.includes(name) ? schema : orNull(schema),
    ]),
  );
  const example = BODY_EXAMPLES[id];
  const content = { schema: named.refer({ ...body, properties }), ...(example && { example }) };
  return { requestBody: { required: required.length > 0, content: { [JSON_TYPE]: content } } };
}

/** An optional field of a body accepts null, which means that it is absent. */
function orNull(schema: object & { type?: string; anyOf?: { type?: string }[] }): object {
  if (schema.anyOf?.some(({ type }) => type === 'null')) return schema;
  if (typeof schema.type === 'string' && !('enum' in schema))
    return { ...schema, type: [schema.type, 'null'] };
  const { anyOf, description, default: initial, ...rest } = schema as Record<string, unknown>;
  return {
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
    anyOf: [...((anyOf as object[] | undefined) ?? [rest]), { type: 'null' }],
  };
}

/** The file as the raw body, or as the only file of a form. */
function fileContent(types: readonly string[], limit = ''): object {
  const file = { type: 'string', format: 'binary', description: `The file, at most ${limit} MB` };
  const form = { type: 'object', properties: { file }, required: ['file'], additionalProperties: false };
  const asItIs = types.map((type) => [type, { schema: file }]);
  return { 'multipart/form-data': { schema: form }, ...Object.fromEntries(asItIs) };
}

function successResponse(operation: Operation, named: NamedSchemas): object {
  const { answer, asLines, events } = operation;
  // OpenAPI 3.1 cannot describe the events of a stream; `x-events` has the schemas of their data by event name.
  const stream = { [EVENT_STREAM]: { schema: { type: 'string' }, 'x-events': events } };
  if (answer === EVENT_STREAM) return { description: 'Success', content: stream };
  if (typeof answer === 'string') {
    return { description: 'Success', content: bytesContent(operation) };
  }
  const data = named.refer(answer);
  const properties = { data };
  const schema = {
    allOf: [named.refer(SuccessEnvelope), { type: 'object', required: ['data'], properties }],
  };
  const example = exampleOf(answer);
  const lines = { type: 'string', description: 'One item per line, as JSON' };
  return {
    description: 'Success',
    content: {
      [JSON_TYPE]: { schema, ...(example && { example: success(example) }) },
      ...(asLines && { [JSON_LINES]: { schema: lines } }),
      ...(events && stream),
    },
  };
}

/** The media types of a response that is not JSON. */
function bytesContent({ answer, fileTypes }: Operation): object {
  const types = fileTypes ?? (answer === 'image/*' ? ['image/png', 'image/webp'] : [String(answer)]);
  const schema = { type: 'string', format: 'binary' };
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** The response to a request with the header `Range`. */
function partialResponse(operation: Operation): object {
  if (!operation.ranges) return {};
  const description = 'First and last byte of the part, and size of the file: `bytes 0-1023/4096`';
  return {
    206: {
      description: 'The requested part',
      headers: { 'Content-Range': { description, schema: { type: 'string' } } },
      content: bytesContent(operation),
    },
  };
}

/** Returns the example of a named schema, or a page with it. */
function exampleOf(answer: { title?: string; properties?: { items?: object } }): object | undefined {
  const { items } = answer.properties ?? {};
  const item = items && 'items' in items ? (items.items as { title?: string }) : undefined;
  if (item?.title === undefined) return SCHEMA_EXAMPLES[answer.title ?? ''];
  const example = SCHEMA_EXAMPLES[item.title];
  return example && { total: 1, page: 1, page_size: 20, items: [example] };
}

/** One response per HTTP status, with an example of each error code with that status. */
function errorResponses(names: ErrorName[], named: NamedSchemas): Record<string, object> {
  const byStatus = Object.groupBy(names, (name) => ERRORS[name].status);
  const contentRange = { description: 'Size of the file: `bytes */4096`', schema: { type: 'string' } };
  const retryAfter = { description: 'Seconds until a retry may succeed', schema: { type: 'integer' } };
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group = []]) => [
      status,
      {
        description: group.map((name) => `${ERRORS[name].code} ${name}`).join(', '),
        ...(['429', '503'].includes(status) && { headers: { 'Retry-After': retryAfter } }),
        ...(status === '416' && { headers: { 'Content-Range': contentRange } }),
        content: {
          [JSON_TYPE]: {
            schema: named.refer(ErrorEnvelope),
            examples: Object.fromEntries(
              group.map((name) => [name, { $ref: `#/components/examples/${name}` }]),
            ),
          },
        },
      },
    ]),
  );
}

/** Returns an example of each error that the operations refer to. */
function errorExamples(paths: OpenApiDocument['paths']): Record<string, object> {
  const text = JSON.stringify(paths);
  const used = Object.entries(ERROR_EXAMPLES).filter(([name]) => text.includes(`examples/${name}"`));
  return Object.fromEntries(
    used.map(([name, [message, data]]) => {
      const { code } = ERRORS[name as ErrorName];
      return [name, { value: { code, message, data } }];
    }),
  );
}

/** A message that the service posts to a webhook. */
function message(name: WebhookMessageType, named: NamedSchemas): object {
  const { data, secretFields }: { data: object; secretFields: readonly string[] } =
    name === 'ping' ? PING : EVENTS[name];
  const header = (header: string, description: string) => ({
    ...{ name: header, in: 'header', required: true, description },
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
        [JSON_TYPE]: {
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
