import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** A result that is longer is compressed. A bus carries messages up to 1 MB, and the tree of a full screen may be larger. */
const MAX_PLAIN_LENGTH = 16_384;

/** Encodes the result of a call for the bus. */
export async function packed(result: unknown): Promise<{ result: string } | { packed: string }> {
  const text = JSON.stringify(result ?? null);
  if (text.length <= MAX_PLAIN_LENGTH) return { result: text };
  return { packed: (await deflate(text)).toString('base64') };
}
