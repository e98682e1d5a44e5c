import fc from 'fast-check';

/** The subset of JSON Schema that the service's OpenAPI document uses. */
export interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

/** Values that schemas rarely anticipate and that break parsers, stores and terminals. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '../../etc/passwd',
    "'; drop table sessions; --",
    '%00',
    '%',
    '%2e%2e%2f',
  ),
  fc.constantFrom(
    '\u202egnp.exe',
    '🤳🏽',
    '\ud800',
    'null',
    'NaN',
    '1e309',
    '-0',
    '__proto__',
    'constructor',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer({ min: 0, max: 3000 }).map((length) => 'x'.repeat(length)),
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, -1, 0, 1.5, 1e308, 2 ** 53, [], {}, [[]], { __proto__: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Generates values that are valid according to the schema. */
export function rightValueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(rightValueOf));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type) => rightValueOf({ ...schema, type })));
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(rightValueOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: schema.maxItems ?? 3,
      });
    case 'object':
      return objectOf(schema, rightValueOf);
    default:
      return textOf(schema);
  }
}

function textOf({ pattern, minLength = 0, maxLength = 60 }: JsonSchema): fc.Arbitrary<string> {
  const text = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
  return pattern ? text.filter((value) => new RegExp(pattern, 'u').test(value)) : text;
}

/**
 * Generates values that are mostly valid: one field is invalid, unknown or missing, or the whole value is arbitrary.
 */
export function nearlyRightValueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.type !== 'object') return fc.oneof({ weight: 4, arbitrary: rightValueOf(schema) }, hostileValue);
  const fields = objectOf(schema, (field) =>
    fc.oneof({ weight: 4, arbitrary: rightValueOf(field) }, hostileValue),
  );
  const stranger = fc
    .tuple(fields, hostileText, hostileValue)
    .map(([value, name, more]) => ({ ...value, [name]: more }));
  return fc.oneof({ weight: 6, arbitrary: fields }, stranger, hostileValue);
}

function objectOf(
  { properties = {}, required = [] }: JsonSchema,
  field: (schema: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, field(schema)]));
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) });
}
