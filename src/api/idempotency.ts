import { createHash } from 'node:crypto';
import type { Idempotency } from '../store/entities.ts';

/**
 * Combines an idempotency key with the fingerprint of its request. Two requests are the same if their `parts` are
 * equal.
 */
export function idempotency(key: string | null, parts: unknown[]): Idempotency | null {
  if (key === null) return null;
  const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { key, fingerprint };
}

/**
 * The parts of a fingerprint for fields that earlier versions did not have. Without values there are none, so that a
 * request and its repeat have equal fingerprints if the service is upgraded in between.
 */
export const addedParts = (fields: Record<string, unknown>): object[] =>
  Object.values(fields).some((value) => value !== undefined) ? [fields] : [];
