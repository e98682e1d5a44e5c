const SIGNATURE = '\x89PNG\r\n\x1a\n';

/** Number of bytes from the start of a PNG that are sufficient for pngSize(). */
export const PNG_SIZE_BYTES = 24;

/**
 * Returns the size of a PNG in pixels; null if the bytes are not the start of a PNG. It begins with a signature and the
 * header chunk: length, type, width, height (W3C Portable Network Graphics, sections 5.2 and 11.2.1).
 */
export function pngSize(bytes: Uint8Array): { width: number; height: number } | null {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isPng =
    png.length >= PNG_SIZE_BYTES &&
    png.toString('latin1', 0, 8) === SIGNATURE &&
    png.toString('latin1', 12, 16) === 'IHDR';
  return isPng ? { width: png.readUInt32BE(16), height: png.readUInt32BE(20) } : null;
}
