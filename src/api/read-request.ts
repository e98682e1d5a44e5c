import { Compile, type Validator } from 'typebox/compile';
import { ApiError, type FieldError, invalidField } from '../contract/http/errors.ts';
import { fieldErrors } from '../contract/http/field-errors.ts';
import type { Operation } from '../contract/http/operation.ts';
import { DEPTH_LIMIT, exceedsMaxDepth } from './json-depth.ts';

/** The three parts of a request that an operation has schemas for. */
export interface RequestParts {
  params: unknown;
  query: unknown;
  body: unknown;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a JSON body; undefined when it is empty. @throws ApiError 40016 or 40000 when it is not JSON in UTF-8. */
export function parseBody(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType ?? '')) {
    throw new ApiError(
      'unsupportedMediaType',
      'header.content-type must be application/json if the request has a body',
    );
  }
  return parseJson(bytes);
}

/** @throws ApiError 40000 when it is not JSON in UTF-8, or nested too deeply. */
export function parseJson(bytes: Buffer): unknown {
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const problem =
      error instanceof SyntaxError ? `is not valid JSON (${error.message})` : 'is not valid UTF-8';
    throw invalidField('body', problem);
  }
  if (exceedsMaxDepth(body)) throw invalidField('body', DEPTH_LIMIT);
  return body;
}

/** Removes fields that are `null`, which means absent, unless the field's schema accepts null. */
function withoutNulls(body: unknown, schema: Operation['body']): unknown {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'object' || Array.isArray(body)) return body;
  const properties = schema.properties as Record<string, { anyOf?: { type?: string }[] }>;
  const takesNull = (name: string) => properties[name]?.anyOf?.some(({ type }) => type === 'null') ?? false;
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null || takesNull(name)),
  );
}

/** Query values arrive as text. Converts whole numbers where the schema requires an integer. */
function withNumbers(query: unknown, schema: Operation['query']): unknown {
  const properties = schema.properties as Record<string, { type?: string }>;
  return Object.fromEntries(
    Object.entries(query as Record<string, unknown>).map(([name, value]) => {
      const wanted = properties[name]?.type === 'integer';
      return [
        name,
        wanted && typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
      ];
    }),
  );
}

/**
 * Compiles the defaults of a schema. TypeBox interprets the schema for each value, which takes longer than the
 * validation itself; only defaults of nested fields need that.
 */
function defaultsOf(schema: Operation['query'], validator: Validator): (value: unknown) => unknown {
  const hasDefault = (part: unknown) => JSON.stringify(part).includes('"default":');
  if (!hasDefault(schema)) return (value) => value;
  const fields = Object.entries(schema.properties as Record<string, { default?: unknown }>);
  const isNested = fields.some(
    ([, { default: own, ...field }]) => hasDefault(field) || typeof own === 'object',
  );
  if (isNested) return (value) => validator.Default(value);
  const defaults = Object.fromEntries(
    fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])),
  );
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return (value) => (isObject(value) ? { ...defaults, ...(value as object) } : value);
}

interface CompiledReader {
  validators: Record<keyof RequestParts, Validator>;
  withDefaults: Record<'query' | 'body', (value: unknown) => unknown>;
}

function compileReader(operation: Pick<Operation, 'params' | 'query' | 'body'>): CompiledReader {
  const validators = {
    params: Compile(operation.params),
    query: Compile(operation.query),
    body: Compile(operation.body),
  };
  const withDefaults = {
    query: defaultsOf(operation.query, validators.query),
    body: defaultsOf(operation.body, validators.body),
  };
  return { validators, withDefaults };
}

/**
 * Compiles an operation's schemas on its first request, because compiling those of all operations takes a tenth of the
 * time of a start. The returned function validates the three parts and fills in defaults.
 * @throws ApiError 40000 that lists every invalid field
 */
export function requestReader(
  operation: Pick<Operation, 'params' | 'query' | 'body'>,
): (parts: RequestParts) => RequestParts {
  let compiled: CompiledReader | undefined;
  return (parts) => {
    compiled ??= compileReader(operation);
    const { validators, withDefaults } = compiled;
    const values: RequestParts = {
      params: parts.params,
      query: withDefaults.query(withNumbers(parts.query, operation.query)),
      body: withDefaults.body(withoutNulls(parts.body, operation.body)),
    };
    const errors: FieldError[] = (['params', 'query', 'body'] as const).flatMap((part) =>
      fieldErrors(validators[part], values[part], part),
    );
    if (errors.length > 0) {
      throw new ApiError('invalid', errors.map(({ field, message }) => `${field} ${message}`).join('; '), {
        errors,
      });
    }
    return values;
  };
}

/** @throws ApiError 40000 unless the header is absent or 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw invalidField(
      'header.idempotency-key',
      'must be 1 to 255 visible ASCII characters, and must be sent only once',
    );
  }
  return header;
}
