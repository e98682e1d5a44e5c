import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ApiError } from '../contract/http/errors.ts';
import { pngSize } from '../util/png-size.ts';
import { phoneUnavailable } from './refusal-errors.ts';

/**
 * Maximum number of images scaled concurrently. Each takes a thread and holds its pixels in memory, 10 MB for a
 * phone's screen.
 */
const MAX_CONCURRENT = 2;

/**
 * Maximum number of pixels of an image: several times those of any phone. A host is another machine, and an image of a
 * few megabytes could take gigabytes once decoded.
 */
const MAX_PIXELS = 64 * 1024 * 1024;

/** Maximum number of requests that wait for scaling. Each holds an image in memory. */
const MAX_WAITING = 100;
const TIMEOUT_MS = 15_000;

const waiting: (() => void)[] = [];
let running = 0;

/**
 * Scales a PNG so that its longer side has at most `maxSide` pixels. It never enlarges the image.
 * @throws ApiError 50300 when the image is not valid, or too many images are being scaled
 */
export async function scaleImage(png: Uint8Array, maxSide: number): Promise<Uint8Array> {
  const size = sizeOf(png);
  const factor = maxSide / Math.max(size.width, size.height);
  if (factor >= 1) return png;
  const [width, height] = [size.width, size.height].map((side) => Math.max(1, Math.round(side * factor)));
  const whole = { x: 0, y: 0, ...size };
  return inTurn({ png, area: whole, width: width!, height: height! });
}

/**
 * Returns the part of a PNG that the area covers. The area must be within the image.
 * @throws ApiError as `scaleImage` does
 */
export async function cropImage(png: Uint8Array, area: ImageArea): Promise<Uint8Array> {
  sizeOf(png);
  return inTurn({ png, area, width: area.width, height: area.height });
}

async function inTurn(job: ScaleJob): Promise<Uint8Array> {
  if (running < MAX_CONCURRENT) running += 1;
  else await turn();
  try {
    return await scale(job);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

/** Waits for a running job to finish and to hand over its place. */
function turn(): Promise<void> {
  if (waiting.length >= MAX_WAITING) {
    throw new ApiError(
      'unavailable',
      'too many screenshots are being scaled; try again in a second',
      {},
      { 'retry-after': '1' },
    );
  }
  return new Promise((resolve) => waiting.push(resolve));
}

/** In pixels. */
export interface ImageArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The input of a worker thread: the area of the image to use, and the size of the result. */
export interface ScaleJob {
  png: Uint8Array;
  area: ImageArea;
  width: number;
  height: number;
}

/**
 * Runs in a worker thread, one per image. Scaling takes 0.2 s, which would delay frames and clients if it ran in
 * the main thread.
 */
async function scale(job: ScaleJob): Promise<Uint8Array> {
  const worker = new Worker(new URL('./scale-worker.ts', import.meta.url), { workerData: job });
  try {
    const [scaled] = await once(worker, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return scaled as Uint8Array;
  } finally {
    await worker.terminate();
  }
}

/** @throws ApiError 50300 when the image is not a PNG, or too large */
function sizeOf(png: Uint8Array): { width: number; height: number } {
  const size = pngSize(png);
  if (!size || size.width * size.height > MAX_PIXELS)
    throw phoneUnavailable('take a screenshot', 'its host sent an invalid image');
  return size;
}
