import type { Operation } from '../../contract/http/operation.ts';
import type { OperationId } from '../../contract/http/operations.ts';
import { EVENT_STREAM } from '../../control-plane/events/server-sent-events.ts';
import type { NamedSchemas } from './named-schemas.ts';
import { BODY_EXAMPLES } from './openapi-examples.ts';

/** Parameters with a default are optional. The schema requires them, because handlers always receive them. */
export function parametersIn(place: 'path' | 'query', schema: Operation['query']): object[] {
  const required = (schema.required ?? []) as string[];
  return Object.entries(schema.properties as Record<string, { description?: string }>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path' || (required.includes(name) && !('default' in schema)),
      ...(description !== undefined && { description }),
      schema,
    }),
  );
}

export function headersOf({ answer, idempotencyKey, ranges }: Operation): object[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
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

export function bodyOf(
  id: OperationId,
  { body, upload, uploadLimit }: Operation,
  named: NamedSchemas,
): object {
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
  return { requestBody: { required: required.length > 0, content: { 'application/json': content } } };
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
