import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a socket address lets its holder do. */
export type SocketPurpose = 'stream' | 'control' | 'adb';

/**
 * The token in a socket address: HMAC-SHA-256 over purpose, session and lease epoch, base64url (43 characters).
 * It differs per purpose, so that a stream address can be shared without giving control, and it dies with the session.
 */
export function socketToken(
  key: Uint8Array,
  purpose: SocketPurpose,
  sessionId: string,
  epoch: number,
): string {
  return createHmac('sha256', key).update(`${purpose}\n${sessionId}\n${epoch}`).digest('base64url');
}

/** Compares in constant time; a token of another length is wrong too. */
export function isSocketToken(
  token: string,
  key: Uint8Array,
  purpose: SocketPurpose,
  sessionId: string,
  epoch: number,
): boolean {
  const expected = Buffer.from(socketToken(key, purpose, sessionId, epoch));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
