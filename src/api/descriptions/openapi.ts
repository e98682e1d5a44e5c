import { WEBHOOK_MESSAGES } from '../../contract/events/webhook.ts';
import type { ErrorName } from '../../contract/http/errors.ts';
import type { Operation } from '../../contract/http/operation.ts';
import type { OperationId } from '../../contract/http/operations.ts';
import { NamedSchemas } from './named-schemas.ts';
import { SCHEMA_EXAMPLES } from './openapi-examples.ts';
import { bodyOf, headersOf, parametersIn } from './openapi-requests.ts';
import { errorExamples, errorResponses, partialResponse, successResponse } from './openapi-responses.ts';
import { webhookMessage } from './openapi-webhooks.ts';

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
  const webhooks = Object.fromEntries(
    WEBHOOK_MESSAGES.map((name) => [name, { post: webhookMessage(name, named) }]),
  );
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
