import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { ERRORS, type FieldError } from '../contract/http/errors.ts';
import { CONDITION_PATTERN_WORDS } from '../contract/sockets/conditions.ts';
import {
  CONTROL_METHODS,
  type ControlMethod,
  PARAM_PATTERN_WORDS,
} from '../contract/sockets/control-methods.ts';
import { RpcError } from './json-rpc.ts';

type SchemaError = ReturnType<Validator['Errors']>[number];

/** The parts of a parameter's schema that its error messages mention. */
interface Limits {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, TSchema>;
}

const validators = new Map<ControlMethod, Validator>();
for (const [method, { params }] of Object.entries(CONTROL_METHODS)) {
  validators.set(method as ControlMethod, Compile(params));
}

/**
 * Returns the parameters with their defaults filled in.
 * @throws RpcError -32602 that names the first invalid field; `data` is as in a 40000 of the HTTP API.
 */
export function checkParams(method: ControlMethod, params: unknown): unknown {
  const validator = validators.get(method)!;
  if (validator.Check(params)) return validator.Default(params);
  const { properties = {} } = CONTROL_METHODS[method].params as { properties?: Record<string, TSchema> };
  const errors = validator.Errors(params).flatMap((error) => describe(error, properties));
  const { field, message } = errors[0]!;
  throw new RpcError('invalidParams', `${field} ${message}`, { code: ERRORS.invalid.code, errors });
}

function describe(error: SchemaError, properties: Record<string, TSchema>): FieldError[] {
  const [name = '', ...inner] = error.instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (inner.length > 0) {
    const { properties: fields = {} } = (properties[name] ?? {}) as Limits;
    const path = { ...error, instancePath: `/${inner.join('/')}` };
    return describe(path, fields).map(({ field, message }) => ({
      field: field.replace('params', `params.${name}`),
      message,
    }));
  }
  if (name !== '') {
    const known = Object.keys(properties).join(', ');
    const message =
      error.keyword === 'boolean'
        ? `is not a parameter of this method; ${known === '' ? 'it has none' : `its parameters are ${known}`}`
        : requirement(error.keyword, properties[name] as Limits);
    return [{ field: `params.${name}`, message }];
  }
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((missing) => ({
        field: `params.${missing}`,
        message: 'is required',
      }));
    // This error only summarises fields that are reported individually, unless the earlier errors exceed TypeBox's
    // limit.
    case 'additionalProperties':
      return [];
    default:
      return [{ field: 'params', message: 'must be an object' }];
  }
}

function requirement(keyword: string, limits: Limits): string {
  switch (keyword) {
    case 'minimum':
    case 'maximum':
      return `must be between ${limits.minimum} and ${limits.maximum}`;
    case 'enum':
      return `must be one of ${limits.enum?.join(', ')}`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must have at most ${limits.maxLength} characters`;
    case 'pattern':
      return `must be ${PATTERN_WORDS[limits.pattern ?? ''] ?? 'in the documented format'}`;
    default:
      if (limits.properties) return `must be an object with ${Object.keys(limits.properties).join(' and ')}`;
      return `must be ${TYPES[limits.type ?? ''] ?? 'in the documented format'}`;
  }
}

const PATTERN_WORDS: Record<string, string> = { ...PARAM_PATTERN_WORDS, ...CONDITION_PATTERN_WORDS };

const TYPES: Record<string, string> = {
  number: 'a number',
  integer: 'a whole number',
  string: 'a string',
  boolean: 'true or false',
};
