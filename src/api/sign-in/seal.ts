import { CompactEncrypt, compactDecrypt, errors } from 'jose';

/** Protected header parameter that binds a value to its purpose. */
const PURPOSE = 'phonebooth_purpose';

/**
 * Encrypts and authenticates a value that the browser stores for the service, so that the browser can neither read
 * nor change it. The result is a JWE in compact serialization (RFC 7516) with the algorithms `dir` and `A256GCM`.
 * @param keys keys of 32 bytes, newest first; the newest is used
 * @param purpose the value can be unsealed only for the same purpose
 */
export function seal([key]: readonly Uint8Array[], purpose: string, value: object): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', [PURPOSE]: purpose })
    .encrypt(key!);
}

/** Returns null when the value was sealed with none of these keys, or for another purpose. */
export async function unseal<T extends object>(
  keys: readonly Uint8Array[],
  purpose: string,
  sealed: string,
): Promise<T | null> {
  for (const key of keys) {
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      if (protectedHeader[PURPOSE] !== purpose) return null;
      return JSON.parse(new TextDecoder().decode(plaintext)) as T;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return null;
}
