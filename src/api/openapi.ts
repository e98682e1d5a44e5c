import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { ErrorEnvelope, successSchema } from '../contract/http/envelope.ts';
import { ERRORS, type ErrorName } from '../contract/http/errors.ts';
import type { Operation } from '../contract/http/operation.ts';
import type { OperationId } from '../contract/http/operations.ts';
import { EVENT_STREAM } from '../control-plane/events/server-sent-events.ts';
import { JSON_LINES } from './json-lines.ts';

const ALWAYS: ErrorName[] = [
  'invalid',
  'unauthorized',
  'rateLimited',
  'bodyTooLarge',
  'internal',
  'unavailable',
];

export function openApiOptions(basePath: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Phonebooth',
        version: '1',
        description:
          'Borrow real phones by the minute: list them, connect to one, see its screen, control it, and end ' +
          'the session.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      externalDocs: { url: '/docs/', description: 'Documentation: concepts, sockets, examples' },
      servers: [{ url: basePath }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
        },
      },
      security: [{ apiKey: [] }],
    },
    stripBasePath: true,
    transformObject: (documents) =>
      withOptionalBodies((documents as { openapiObject: Document }).openapiObject),
  };
}

type Document = Extract<
  ReturnType<NonNullable<FastifyDynamicSwaggerOptions['transformObject']>>,
  { openapi?: string }
>;

/** The plugin marks every body as required. Here, a body is optional if none of its fields is required. */
function withOptionalBodies(document: Document): Document {
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}))) {
    const { requestBody } = operation as {
      requestBody?: { required?: boolean; content: Record<string, { schema: { required?: string[] } }> };
    };
    if (!requestBody) continue;
    const json = requestBody.content['application/json'];
    requestBody.required = json ? (json.schema.required ?? []).length > 0 : true;
  }
  return document;
}

/** Converts an operation to the schema that @fastify/swagger expects. */
export function operationSchema(id: OperationId, operation: Operation): FastifySchema {
  const isEmpty = (part: Operation['params']) => Object.keys(part.properties).length === 0;
  const errors = [
    ...ALWAYS,
    ...operation.errors.filter((name) => !ALWAYS.includes(name)),
    ...(operation.access === 'read' ? [] : (['forbidden'] as const)),
  ];
  return {
    operationId: id,
    tags: [id.split('.', 1)[0]!],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(isEmpty(operation.params) ? {} : { params: operation.params }),
    ...(isEmpty(operation.query) ? {} : { querystring: withoutDefaulted(operation.query) }),
    ...(isEmpty(operation.body) ? {} : { body: operation.body }),
    ...(operation.upload ? { body: fileBody(operation.upload) } : {}),
    ...headersOf(operation),
    response: { ...successResponse(operation), ...errorResponses(errors) },
  };
}

/**
 * Makes parameters with a default optional. The schema lists them as required, because handlers always receive them.
 */
function withoutDefaulted(query: Operation['query']): object {
  const properties: Record<string, object> = query.properties;
  const required = (query.required ?? []) as string[];
  return { ...query, required: required.filter((name) => !('default' in properties[name]!)) };
}

function headersOf({ answer, idempotencyKey }: Operation): object {
  const text = (description: string) => ({ type: 'string', description });
  const properties = {
    ...(idempotencyKey && {
      'Idempotency-Key': text('A repeated request with the same key returns the result of the first one'),
    }),
    ...(answer === EVENT_STREAM && {
      'Last-Event-ID': text('Id of the last event that was received; the stream resumes after it'),
    }),
  };
  return Object.keys(properties).length === 0 ? {} : { headers: { type: 'object', properties } };
}

const file = {
  type: 'string',
  format: 'binary',
  description: 'The file, at most PHONEBOOTH_MAX_APP_SIZE MB',
};

/** The file as the raw body, or as the only file of a form. */
function fileBody(types: readonly string[]): object {
  const form = { type: 'object', properties: { file }, required: ['file'], additionalProperties: false };
  const asItIs = types.map((type) => [type, { schema: file }]);
  return { content: { 'multipart/form-data': { schema: form }, ...Object.fromEntries(asItIs) } };
}

/**
 * OpenAPI 3.1 cannot describe the events of a stream; `x-events` contains the schemas of their data by event name.
 */
const streamOf = (events: Operation['events']) => ({
  [EVENT_STREAM]: { schema: { type: 'string' }, 'x-events': events },
});

function successResponse({ answer, asLines, events }: Operation): Record<string, unknown> {
  if (answer === EVENT_STREAM) return { 200: { description: 'Success', content: streamOf(events) } };
  if (typeof answer === 'string') {
    return {
      200: {
        description: 'Success',
        content: Object.fromEntries(
          (answer === 'image/*' ? ['image/png', 'image/webp'] : [answer]).map((type) => [
            type,
            { schema: { type: 'string', format: 'binary' } },
          ]),
        ),
      },
    };
  }
  if (asLines) {
    const lines = { type: 'string', description: 'One item per line, as JSON' };
    const content = {
      'application/json': { schema: successSchema(answer) },
      [JSON_LINES]: { schema: lines },
    };
    return { 200: { description: 'Success', content } };
  }
  if (events) {
    const content = { 'application/json': { schema: successSchema(answer) }, ...streamOf(events) };
    return { 200: { description: 'Success', content } };
  }
  return { 200: { description: 'Success', ...successSchema(answer) } };
}

/** One response per HTTP status, whose description lists the error codes with that status. */
function errorResponses(names: ErrorName[]): Record<string, unknown> {
  const byStatus = Object.groupBy(names, (name) => ERRORS[name].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group]) => [
      status,
      {
        description: (group ?? []).map((name) => `${ERRORS[name].code} ${name}`).join(', '),
        ...ErrorEnvelope,
      },
    ]),
  );
}
