import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/compile';
import type { FieldError } from './errors.ts';
import { PATTERN_WORDS } from './text.ts';

/** The parts of JSON Schema that the contract's fields use. */
interface FieldSchema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  properties?: Record<string, FieldSchema>;
}

const range = (low: number | undefined, high: number | undefined): string => {
  if (low !== undefined && high !== undefined) return ` from ${low} to ${high}`;
  if (low !== undefined) return ` of at least ${low}`;
  return high === undefined ? '' : ` of at most ${high}`;
};

/** `1 to 200 characters`, `at most 200 characters`; null without a maximum. */
const counted = (least: number | undefined, most: number | undefined, noun: string): string | null =>
  most === undefined ? null : `${least ? `${least} to` : 'at most'} ${most} ${noun}`;

/** Formats choices as `available or busy`, `up, down, left or right`. */
const alternatives = (choices: unknown[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(choices.map(String));

/** Returns the values of an enumeration, including nested unions; null for a schema that is not an enumeration. */
function choicesOf(schema: FieldSchema): unknown[] | null {
  if (schema.enum) return schema.enum;
  if (schema.const !== undefined) return [schema.const];
  const options = schema.anyOf?.map(choicesOf) ?? [];
  return options.length > 0 && options.every((option) => option !== null) ? options.flat() : null;
}

function wordsOf(pattern: string | undefined): string {
  if (pattern === undefined) return '';
  return PATTERN_WORDS[pattern] ?? ` that matches ${pattern}`;
}

/** `an object`, with its fields if they are few. */
function objectOf({ properties = {} }: FieldSchema): string {
  const fields = Object.entries(properties).map(([name, field]) => `${name}, which ${expectation(field)}`);
  return fields.length > 0 && fields.length <= 2 ? `an object with ${fields.join(', and ')}` : 'an object';
}

function knownFields(names: string[]): string {
  if (names.length === 0) return 'no field is accepted here';
  return names.length === 1
    ? `the only known field is ${names[0]}`
    : `the known fields are ${names.join(', ')}`;
}

/** Returns a description of valid values, for example "must be a whole number from 1 to 480". */
function expectation(schema: FieldSchema): string {
  const choices = choicesOf(schema);
  if (choices) return `must be ${alternatives(choices.filter((choice) => choice !== ''))}`;
  const [value, ...rest] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (value && rest.length === 0) return `${expectation(value)}, or null`;
  switch (schema.type) {
    case 'integer':
      return `must be a whole number${range(schema.minimum, schema.maximum)}`;
    case 'number':
      return `must be a number${range(schema.minimum, schema.maximum)}`;
    case 'boolean':
      return 'must be true or false';
    case 'array': {
      const values = counted(schema.minItems, schema.maxItems, 'unique values') ?? 'unique values';
      return `must be a list of ${values}, each ${expectation(schema.items ?? {}).replace('must be ', '')}`;
    }
    case 'string': {
      const characters = counted(schema.minLength, schema.maxLength, 'characters');
      return `must be a string${characters ? ` of ${characters}` : ''}${wordsOf(schema.pattern)}`;
    }
    default:
      return `must be ${schema.type === 'object' ? objectOf(schema) : 'in the documented format'}`;
  }
}

/**
 * Returns the errors of a value of an object schema, one entry per field, each with a description of valid values.
 * `root` names the object in the field paths: `body`, `query`, `params`. The result is empty only when the value is
 * valid. TypeBox stops after eight errors, which may all be about unknown fields.
 */
export function fieldErrors(validator: Validator, value: unknown, root: string): FieldError[] {
  if (validator.Check(value)) return [];
  const schema = validator.Type() as TSchema & FieldSchema;
  const names = Object.keys(schema.properties ?? {});
  const notKnown = `is not a known field; ${knownFields(names)}`;
  const found = new Map<string, string>();
  const add = (field: string, message: string) => found.has(field) || found.set(field, message);
  for (const error of validator.Errors(value)) {
    const params = error.params as { requiredProperties?: string[]; additionalProperties?: string[] };
    const name = error.instancePath.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (name !== undefined) {
      const known = names.includes(name) ? schema.properties?.[name] : undefined;
      add(`${root}.${name}`, known ? expectation(known) : notKnown);
    } else if (params.additionalProperties) {
      for (const extra of params.additionalProperties) add(`${root}.${extra}`, notKnown);
    } else if (params.requiredProperties) {
      for (const missing of params.requiredProperties) add(`${root}.${missing}`, 'is required');
    } else {
      add(root, 'must be an object');
    }
  }
  return [...found].map(([field, message]) => ({ field, message }));
}
