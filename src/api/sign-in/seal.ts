import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** As NIST SP 800-38D has it for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a browser keeps for the service, and can neither read nor change. `key`: 32 bytes. `purpose`: what it is good for, alone. */
export function seal(key: Uint8Array, purpose: string, value: object): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
}

/** null: nobody here sealed it, or for another purpose. */
export function unseal<T extends object>(key: Uint8Array, purpose: string, sealed: string): T | null {
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
