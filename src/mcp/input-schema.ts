import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldErrors } from '../contract/field-errors.ts';

/**
 * A tool's arguments as the MCP library wants them described and checked. Models send `null` for what they leave out: it
 * is taken as absent.
 */
export function inputSchema<T extends TObject>(schema: T): StandardSchemaWithJSON<unknown, Static<T>> {
  const validator = Compile(schema);
  const json = asJson(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'phonebooth',
      jsonSchema: { input: () => json, output: () => json },
      validate: (given) => {
        const value = validator.Default(withoutNulls(given));
        const errors = fieldErrors(validator, value, 'arguments');
        if (errors.length === 0) return { value: value as Static<T> };
        const named = (field: string) => field.replace(/^arguments\./, '');
        return { issues: errors.map(({ field, message }) => ({ message: `${named(field)} ${message}` })) };
      },
    },
  };
}

/** Some clients hand schemas on to models' interfaces that insist on a type, of an enumeration too. */
function asJson(schema: TObject): Record<string, unknown> {
  const typed = (_name: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'enum' in value && !('type' in value)
      ? { type: 'string', ...value }
      : value;
  return JSON.parse(JSON.stringify(schema, typed)) as Record<string, unknown>;
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
}
