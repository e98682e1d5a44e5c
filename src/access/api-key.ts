import { hash, randomBytes } from 'node:crypto';

const SHOWN = 8;

/** The stored parts of a key. They identify the key, but cannot be used to authenticate. */
export function factsOfKey(key: string): { hash: string; prefix: string } {
  return { hash: hash('sha256', key, 'hex'), prefix: key.slice(0, SHOWN) };
}

/** Generates an API key: 32 random bytes after a prefix that makes leaked keys easy to find. */
export function newApiKey(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}
