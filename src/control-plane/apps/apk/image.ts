/** The largest launcher icon is 192 px at 640 dpi; app stores require 512 px. */
const MAX_SIDE = 1024;

export interface IconImage {
  type: 'image/png' | 'image/webp';
  bytes: Buffer;
}

/**
 * Identifies the bytes as an image. Returns null when they are neither PNG nor WebP, or when the decoded image
 * would be too large.
 */
export function identifyImage(bytes: Buffer): IconImage | null {
  try {
    const size = pngSize(bytes) ?? webpSize(bytes);
    if (!size || Math.max(size.width, size.height) > MAX_SIDE || Math.min(size.width, size.height) < 1) {
      return null;
    }
    return { type: size.type, bytes };
  } catch {
    // The data ends before the size fields.
    return null;
  }
}

interface Size {
  type: IconImage['type'];
  width: number;
  height: number;
}

/** The size is in the first chunk: W3C Portable Network Graphics, sections 5.2 and 11.2.1. */
function pngSize(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n' || bytes.toString('latin1', 12, 16) !== 'IHDR') {
    return null;
  }
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * RFC 9649, section 2: the size of the canvas, of a lossy keyframe (RFC 6386, section 9.1) or of a lossless image
 * (section 3.4).
 */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  const size = (width: number, height: number): Size => ({ type: 'image/webp', width, height });
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    case 'VP8 ':
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    default:
      return null;
  }
}
