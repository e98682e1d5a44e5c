import { invalidArgument } from './errors.ts';

/** Readers of values that a client sent. Each throws `invalid argument` with the name of the field. */

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readObject(value: unknown, field: string): JsonObject {
  if (!isObject(value)) throw invalidArgument(`${field} must be an object`);
  return value;
}

export function readString(value: unknown, field: string, maxLength = 1024): string {
  if (typeof value !== 'string') throw invalidArgument(`${field} must be a string`);
  if (value.length > maxLength) throw invalidArgument(`${field} must have at most ${maxLength} characters`);
  return value;
}

export function readNumber(
  value: unknown,
  field: string,
  { min, max }: { min: number; max: number },
): number {
  if (typeof value !== 'number' || !(value >= min && value <= max))
    throw invalidArgument(`${field} must be a number from ${min} to ${max}`);
  return value;
}

export function readInteger(value: unknown, field: string, limits: { min: number; max: number }): number {
  const number = readNumber(value, field, limits);
  if (!Number.isInteger(number)) throw invalidArgument(`${field} must be a whole number`);
  return number;
}

export function readBoolean(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw invalidArgument(`${field} must be true or false`);
  return value;
}

export function readArray(value: unknown, field: string, maxItems: number): unknown[] {
  if (!Array.isArray(value)) throw invalidArgument(`${field} must be an array`);
  if (value.length > maxItems) throw invalidArgument(`${field} must have at most ${maxItems} items`);
  return value;
}

export function readOneOf<T extends string>(value: unknown, field: string, values: readonly T[]): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw invalidArgument(`${field} must be one of ${values.join(', ')}`);
  return found;
}

/** Returns undefined for a value that is absent. */
export function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}
