import { ApiError } from '../../contract/errors.ts';

/** Pictures that are scaled at a time: each holds its pixels, 10 MB for a phone's screen, and a thread for its PNG. */
const AT_A_TIME = 2;

/** More than these are not kept waiting: each is a picture in memory, and a client that waits. */
const WAITING_AT_MOST = 50;

const waiting: (() => void)[] = [];
let underWay = 0;

/**
 * The picture (PNG) with at most so many pixels on its longer side; never larger than it was.
 * @throws ApiError 50300 when too many are being scaled
 */
export async function scalePicture(png: Uint8Array, maxSide: number): Promise<Uint8Array> {
  if (underWay < AT_A_TIME) underWay += 1;
  else await turn();
  try {
    return await scale(png, maxSide);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  }
}

/** Resolved by whoever is done, whose place it takes. */
function turn(): Promise<void> {
  if (waiting.length >= WAITING_AT_MOST) {
    throw new ApiError('unavailable', 'too many pictures are being scaled', {}, { 'retry-after': '1' });
  }
  return new Promise((resolve) => waiting.push(resolve));
}

async function scale(png: Uint8Array, maxSide: number): Promise<Uint8Array> {
  // Loaded when it is needed: a process of the API alone starts without it.
  const { createCanvas, loadImage } = await import('@napi-rs/canvas');
  const image = await loadImage(png);
  const factor = maxSide / Math.max(image.width, image.height);
  if (factor >= 1) return png;
  const width = Math.max(1, Math.round(image.width * factor));
  const height = Math.max(1, Math.round(image.height * factor));
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, width, height);
  return canvas.encode('png');
}
