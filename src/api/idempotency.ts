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
