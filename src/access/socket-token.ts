import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * What a token allows its holder to do: to open a kind of socket, to send the commands of a WebDriver session, or to read
 * the recording of a session.
 */
export type TokenPurpose = 'stream' | 'control' | 'adb' | 'webdriver' | 'recording';
export type SocketPurpose = Exclude<TokenPurpose, 'webdriver' | 'recording'>;

/** What a socket address gives access to: one kind of socket of one lease. */
export interface SocketLease {
  purpose: TokenPurpose;
  sessionId: string;
  epoch: number;
}

/** What a socket address was issued to: an API key or a watch link, by its identifier. */
export interface SocketClaim extends SocketLease {
  grantId: string;
}

/**
 * Returns the token in a socket address: the identifier of the grant that the address was issued to, a dot, and an
 * HMAC-SHA-256 over purpose, session, lease epoch and grant (base64url, 43 characters). The gateway finds the grant
 * by its identifier, which is not a secret. The token gives access to nothing else, and becomes invalid when the
 * session ends or the grant becomes invalid.
 */
export function socketToken(key: Uint8Array, claim: SocketClaim): string {
  const { purpose, sessionId, epoch, grantId } = claim;
  return `${grantId}.${mac(key, `${purpose}\n${sessionId}\n${epoch}\n${grantId}`)}`;
}

/**
 * Returns the grant that a token names, without verifying it; null for a token in the older format without a grant.
 */
export function grantOf(token: string): string | null {
  const dot = token.indexOf('.');
  return dot === -1 ? null : token.slice(0, dot);
}

/**
 * Verifies a token in constant time. A token without a grant was issued by an older version: its HMAC covers purpose,
 * session and epoch.
 */
export function isSocketToken(token: string, key: Uint8Array, lease: SocketLease): boolean {
  const { purpose, sessionId, epoch } = lease;
  const grantId = grantOf(token);
  const expected =
    grantId === null
      ? mac(key, `${purpose}\n${sessionId}\n${epoch}`)
      : socketToken(key, { ...lease, grantId });
  return isEqual(Buffer.from(token), Buffer.from(expected));
}

/**
 * Importing the bytes of a key takes six times as long as the HMAC itself, and each session in a response has three
 * tokens.
 */
const imported = new WeakMap<Uint8Array, KeyObject>();

function mac(key: Uint8Array, text: string): string {
  let keyObject = imported.get(key);
  if (!keyObject) {
    keyObject = createSecretKey(key);
    imported.set(key, keyObject);
  }
  return createHmac('sha256', keyObject).update(text).digest('base64url');
}

const isEqual = (given: Buffer, expected: Buffer) =>
  given.length === expected.length && timingSafeEqual(given, expected);
