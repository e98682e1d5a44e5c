import fc from 'fast-check';
import type { OpenApiDocument } from '../../black-box/kit/description.ts';
import { hostileText, type JsonSchema, nearlyRightValueOf, rightValueOf } from './arbitrary-schema.ts';

interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required: boolean;
  schema: JsonSchema;
}

/** A generated request. Identifiers are chosen when the request is sent, from those known at that time. */
export interface FuzzRequest {
  method: string;
  template: string;
  /** Path parameters by name: a literal text, or an index into the known identifiers. */
  path: Record<string, string | number>;
  query: [string, string][];
  headers: Record<string, string>;
  body: string | null;
  caller: 'admin' | 'user' | 'viewer' | 'unknown' | 'anonymous';
}

/** Streams that stay open and file uploads have separate tests. */
const LEFT_OUT = new Set(['get /events', 'post /apps']);

/**
 * Generates a request for any operation of the document. All operations are equally likely, and most requests are
 * nearly valid.
 */
export function requestOf(document: OpenApiDocument): fc.Arbitrary<FuzzRequest> {
  const requests = Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations)
      .filter(([method]) => !LEFT_OUT.has(`${method} ${template}`))
      .map(([method, operation]) => requestTo(method, template, operation as unknown as Described)),
  );
  return fc.oneof(...requests);
}

interface Described {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

function requestTo(
  method: string,
  template: string,
  { parameters = [], requestBody }: Described,
): fc.Arbitrary<FuzzRequest> {
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const anId = fc.oneof({ weight: 5, arbitrary: fc.nat(50) }, hostileText);
  const body = requestBody?.content['application/json']?.schema;
  return fc.record({
    method: fc.constant(method.toUpperCase()),
    template: fc.constant(template),
    path: fc.record(Object.fromEntries(of('path').map(({ name }) => [name, anId]))),
    query: fc.oneof({ weight: 5, arbitrary: queryOf(of('query')) }, invalidQuery),
    headers: headersOf(of('header').some(({ name }) => name === 'Idempotency-Key')),
    body: body
      ? bodyOf(body)
      : fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.constantFrom('{}', 'null', '[1')),
    caller: fc.oneof(
      { weight: 6, arbitrary: fc.constant('admin' as const) },
      { weight: 4, arbitrary: fc.constant('user' as const) },
      fc.constantFrom('viewer' as const, 'unknown' as const, 'anonymous' as const),
    ),
  });
}

function queryOf(parameters: Parameter[]): fc.Arbitrary<[string, string][]> {
  const values = parameters.map(({ name, schema }) =>
    fc
      .oneof({ weight: 3, arbitrary: rightValueOf(schema).map(String) }, hostileText)
      .map((value): [string, string] => [name, value]),
  );
  return values.length === 0 ? fc.constant([]) : fc.subarray(values).chain((chosen) => fc.tuple(...chosen));
}

const invalidQuery = fc.array(fc.tuple(hostileText, hostileText), { minLength: 1, maxLength: 2 });

function headersOf(hasKey: boolean): fc.Arbitrary<Record<string, string>> {
  const key = fc.oneof(fc.nat(20).map(String), fc.string({ minLength: 1, maxLength: 300 }));
  const none = fc.constant({});
  return hasKey
    ? fc.oneof(
        none,
        key.map((value) => ({ 'Idempotency-Key': value })),
      )
    : none;
}

function bodyOf(schema: JsonSchema): fc.Arbitrary<string | null> {
  const json = nearlyRightValueOf(schema).map((value) => JSON.stringify(value) ?? null);
  const cut = json.map((text) => text?.slice(0, -1) ?? null);
  return fc.oneof({ weight: 12, arbitrary: json }, cut, fc.constant(null), hostileText);
}
