import { pngSize } from '../../../util/png-size.ts';

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
    const png = pngSize(bytes);
    const size = png ?? webpSize(bytes);
    if (!size || Math.max(size.width, size.height) > MAX_SIDE || Math.min(size.width, size.height) < 1) {
      return null;
    }
    return { type: png ? 'image/png' : 'image/webp', bytes };
  } catch {
    // The data ends before the size fields.
    return null;
  }
}

interface Size {
  width: number;
  height: number;
}

/**
 * RFC 9649, section 2: the size of the canvas, of a lossy keyframe (RFC 6386, section 9.1) or of a lossless image
 * (section 3.4).
 */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return null;
  }
}
