import { type Image, loadImage } from '@napi-rs/canvas';
import { pngSize } from '../../../util/png-size.ts';

const MAX_BYTES = 8 * 1024 * 1024;
/** A decoded picture has four bytes per pixel. */
const MAX_PIXELS = 16_000_000;
/** Markers of JPEG without a length: restarts, start and end. */
const BARE_MARKERS = [0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9];

/** Decodes a PNG or JPEG. Returns null for another file, a damaged one, and one that is too large to be decoded. */
export async function decodePicture(bytes: Buffer): Promise<Image | null> {
  if (bytes.length > MAX_BYTES) return null;
  try {
    const size = pngSize(bytes) ?? jpegSize(bytes);
    if (!size || size.width * size.height === 0 || size.width * size.height > MAX_PIXELS) return null;
    const image = await loadImage(bytes);
    return image.width > 0 && image.height > 0 ? image : null;
  } catch {
    return null;
  }
}

interface Size {
  width: number;
  height: number;
}

/** The size is in the frame header: ITU-T T.81, sections B.1.1 and B.2.2. */
function jpegSize(bytes: Buffer): Size | null {
  if (bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff) return null;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += BARE_MARKERS.includes(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
