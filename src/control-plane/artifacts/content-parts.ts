import { createHash } from 'node:crypto';

export interface Part {
  /** Valid until the next part is requested. */
  body: Uint8Array;
  /** SHA-256 of the body, hexadecimal. */
  sha256: string;
}

/**
 * Divides content into parts of `partBytes`; only the last one may be smaller. There is always at least one part. All
 * parts are in the same memory. The last part is returned only after the content has ended with the right size.
 * @throws Error when the content does not have the size, or the error of the content
 */
export async function* partsOf(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { size, partBytes }: { size: number; partBytes: number },
): AsyncGenerator<Part, void, void> {
  const buffer = Buffer.allocUnsafe(Math.min(size, partBytes));
  let filled = 0;
  let received = 0;
  let hash = createHash('sha256');
  for await (const chunk of content) {
    received += chunk.byteLength;
    if (received > size) throw new Error(`the content is longer than ${size} bytes`);
    for (let at = 0; at < chunk.byteLength; ) {
      if (filled === buffer.byteLength) {
        yield { body: buffer, sha256: hash.digest('hex') };
        filled = 0;
        hash = createHash('sha256');
      }
      const piece = chunk.subarray(at, at + buffer.byteLength - filled);
      buffer.set(piece, filled);
      hash.update(piece);
      filled += piece.byteLength;
      at += piece.byteLength;
    }
  }
  if (received < size) throw new Error(`the content has ${received} bytes instead of ${size}`);
  yield { body: buffer.subarray(0, filled), sha256: hash.digest('hex') };
}
