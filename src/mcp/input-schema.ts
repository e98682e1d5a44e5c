import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Static, TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldErrors } from '../contract/http/field-errors.ts';

/**
 * The schema of a tool's arguments, in the form in which the MCP library describes and validates them. Models send
 * `null` for arguments that they leave out, so `null` is treated as absent.
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

/** Some clients forward the schemas to model APIs that require a `type`, also for an enumeration. */
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
