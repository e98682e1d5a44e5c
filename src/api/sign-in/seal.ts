import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** Recommended for GCM by NIST SP 800-38D. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts and authenticates a value that the browser stores for the service, so that the browser can neither read
 * nor change it.
 * @param keys keys of 32 bytes, newest first; the newest is used
 * @param purpose the value can be unsealed only for the same purpose
 */
export function seal([key]: readonly Uint8Array[], purpose: string, value: object): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key!, nonce).setAAD(Buffer.from(purpose));
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** Returns null when the value was sealed with none of these keys, or for another purpose. */
export function unseal<T extends object>(
  keys: readonly Uint8Array[],
  purpose: string,
  sealed: string,
): T | null {
  for (const key of keys) {
    const value = unsealWith<T>(key, purpose, sealed);
    if (value) return value;
  }
  return null;
}

function unsealWith<T extends object>(key: Uint8Array, purpose: string, sealed: string): T | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
  const [nonce, tag, text] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ];
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')) as T;
  } catch {
    return null;
  }
}
