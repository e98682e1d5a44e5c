import { ErrorEnvelope, SuccessEnvelope, success } from '../../contract/http/envelope.ts';
import { ERRORS, type ErrorName } from '../../contract/http/errors.ts';
import type { Operation } from '../../contract/http/operation.ts';
import { EVENT_STREAM } from '../../control-plane/events/server-sent-events.ts';
import { JSON_LINES } from '../json-lines.ts';
import type { NamedSchemas } from './named-schemas.ts';
import { ERROR_EXAMPLES, SCHEMA_EXAMPLES } from './openapi-examples.ts';

export function successResponse(operation: Operation, named: NamedSchemas): object {
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
      'application/json': { schema, ...(example && { example: success(example) }) },
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
export function partialResponse(operation: Operation): object {
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
export function errorResponses(names: ErrorName[], named: NamedSchemas): Record<string, object> {
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
          'application/json': {
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
export function errorExamples(paths: object): Record<string, object> {
  const text = JSON.stringify(paths);
  const used = Object.entries(ERROR_EXAMPLES).filter(([name]) => text.includes(`examples/${name}"`));
  return Object.fromEntries(
    used.map(([name, [message, data]]) => {
      const { code } = ERRORS[name as ErrorName];
      return [name, { value: { code, message, data } }];
    }),
  );
}
