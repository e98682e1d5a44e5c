import { createHash } from 'node:crypto';
import type { Idempotency } from '../store/store.ts';

/** A key with the fingerprint of its request; `parts` are what makes two requests the same request. */
export function idempotency(key: string | null, parts: unknown[]): Idempotency | null {
  if (key === null) return null;
  const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return { key, fingerprint };
}
