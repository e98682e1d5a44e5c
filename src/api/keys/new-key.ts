import { createHash, randomBytes } from 'node:crypto';

const SHOWN = 8;

/** What is kept of a key: enough to know it again, and nothing to use it with. */
export function factsOfKey(key: string): { hash: string; prefix: string } {
  return { hash: createHash('sha256').update(key).digest('hex'), prefix: key.slice(0, SHOWN) };
}

/** A new API key: 32 random bytes behind a prefix that makes it easy to find in a leak. */
export function newApiKey(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}
