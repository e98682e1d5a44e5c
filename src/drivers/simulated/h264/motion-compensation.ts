import type { MacroblockSamples } from './macroblock-samples.ts';
import type { Picture, Plane } from './picture.ts';

/**
 * Predicts a macroblock from `reference`, `dy` luma rows further down. Luma stays on whole samples; an odd `dy`
 * places chroma half way between two rows (clause 8.4.2.2.2). Rows beyond the picture repeat its edge.
 */
export function compensateMotion(
  reference: Picture,
  prediction: MacroblockSamples,
  mbX: number,
  mbY: number,
  dy: number,
): void {
  compensateWhole(reference.luma, prediction.luma, 16, mbX, mbY, dy);
  const chromaDy = dy >> 1;
  const compensate = (dy & 1) === 0 ? compensateWhole : compensateHalf;
  compensate(reference.cb, prediction.cb, 8, mbX, mbY, chromaDy);
  compensate(reference.cr, prediction.cr, 8, mbX, mbY, chromaDy);
}

function compensateWhole(
  { samples, width, height }: Plane,
  prediction: Uint8Array,
  size: number,
  mbX: number,
  mbY: number,
  dy: number,
): void {
  for (let y = 0; y < size; y++) {
    const from = clampRow(mbY * size + y + dy, height) * width + mbX * size;
    for (let x = 0; x < size; x++) prediction[y * size + x] = samples[from + x]!;
  }
}

function compensateHalf(
  { samples, width, height }: Plane,
  prediction: Uint8Array,
  size: number,
  mbX: number,
  mbY: number,
  dy: number,
): void {
  for (let y = 0; y < size; y++) {
    const row = mbY * size + y + dy;
    const above = clampRow(row, height) * width + mbX * size;
    const below = clampRow(row + 1, height) * width + mbX * size;
    for (let x = 0; x < size; x++) {
      prediction[y * size + x] = (samples[above + x]! + samples[below + x]! + 1) >> 1;
    }
  }
}

function clampRow(row: number, height: number): number {
  return row < 0 ? 0 : row >= height ? height - 1 : row;
}
