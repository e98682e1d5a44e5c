import type { Plane } from './picture.ts';

/** The reconstructed samples next to a macroblock in one plane, of `size` 16 (luma) or 8 (chroma). */
export class Neighbours {
  readonly size: number;
  readonly top: Uint8Array;
  readonly left: Uint8Array;
  topLeft = 0;
  hasTop = false;
  hasLeft = false;

  constructor(size: number) {
    this.size = size;
    this.top = new Uint8Array(size);
    this.left = new Uint8Array(size);
  }

  load({ samples, width }: Plane, mbX: number, mbY: number): void {
    const size = this.size;
    const origin = mbY * size * width + mbX * size;
    this.hasTop = mbY > 0;
    this.hasLeft = mbX > 0;
    if (this.hasTop) for (let x = 0; x < size; x++) this.top[x] = samples[origin - width + x]!;
    if (this.hasLeft) for (let y = 0; y < size; y++) this.left[y] = samples[origin + y * width - 1]!;
    if (this.hasTop && this.hasLeft) this.topLeft = samples[origin - width - 1]!;
  }
}

/** Intra_16x16_Vertical and Intra_Chroma_Vertical (clauses 8.3.3.1 and 8.3.4.3). */
export function predictVertical({ top, size }: Neighbours, prediction: Uint8Array): void {
  for (let at = 0; at < prediction.length; at += size) {
    for (let x = 0; x < size; x++) prediction[at + x] = top[x]!;
  }
}

/** Intra_16x16_Horizontal and Intra_Chroma_Horizontal (clauses 8.3.3.2 and 8.3.4.2). */
export function predictHorizontal({ left, size }: Neighbours, prediction: Uint8Array): void {
  for (let y = 0; y < size; y++) {
    const sample = left[y];
    for (let at = y * size; at < (y + 1) * size; at++) prediction[at] = sample!;
  }
}

/** The value of Intra_16x16_DC (clause 8.3.3.3). */
export function lumaDc({ top, left, hasTop, hasLeft }: Neighbours): number {
  if (!hasTop && !hasLeft) return 128;
  let sum = 0;
  if (hasTop) for (let x = 0; x < 16; x++) sum += top[x]!;
  if (hasLeft) for (let y = 0; y < 16; y++) sum += left[y]!;
  return hasTop && hasLeft ? (sum + 16) >> 5 : (sum + 8) >> 4;
}

/** Intra_Chroma_DC: a value for each 4x4 block (clause 8.3.4.1). */
export function predictChromaDc(neighbours: Neighbours, prediction: Uint8Array): void {
  for (let blockY = 0; blockY < 8; blockY += 4) {
    for (let blockX = 0; blockX < 8; blockX += 4) {
      const value = chromaDc(neighbours, blockX, blockY);
      for (let y = blockY; y < blockY + 4; y++) {
        for (let x = blockX; x < blockX + 4; x++) prediction[y * 8 + x] = value;
      }
    }
  }
}

function chromaDc({ top, left, hasTop, hasLeft }: Neighbours, blockX: number, blockY: number): number {
  // The blocks off the diagonal prefer the one edge that they touch.
  const useTop = hasTop && !(hasLeft && blockX === 0 && blockY > 0);
  const useLeft = hasLeft && !(hasTop && blockX > 0 && blockY === 0);
  if (!useTop && !useLeft) return 128;
  let sum = 0;
  if (useTop) for (let x = blockX; x < blockX + 4; x++) sum += top[x]!;
  if (useLeft) for (let y = blockY; y < blockY + 4; y++) sum += left[y]!;
  return useTop && useLeft ? (sum + 4) >> 3 : (sum + 2) >> 2;
}

/** Intra_16x16_Plane and Intra_Chroma_Plane, which need both edges (clauses 8.3.3.4 and 8.3.4.4). */
export function predictPlane(neighbours: Neighbours, prediction: Uint8Array): void {
  const { top, left, topLeft, size } = neighbours;
  const half = size / 2;
  let horizontal = 0;
  let vertical = 0;
  for (let i = 0; i < half; i++) {
    const before = half - 2 - i;
    horizontal += (i + 1) * (top[half + i]! - (before < 0 ? topLeft : top[before]!));
    vertical += (i + 1) * (left[half + i]! - (before < 0 ? topLeft : left[before]!));
  }
  const slopeFactor = size === 16 ? 5 : 34;
  const slopeX = (slopeFactor * horizontal + 32) >> 6;
  const slopeY = (slopeFactor * vertical + 32) >> 6;
  const centre = 16 * (left[size - 1]! + top[size - 1]!) + 16;
  for (let y = 0; y < size; y++) {
    let value = centre + slopeY * (y - half + 1) - slopeX * (half - 1);
    for (let x = 0; x < size; x++) {
      const sample = value >> 5;
      prediction[y * size + x] = sample < 0 ? 0 : sample > 255 ? 255 : sample;
      value += slopeX;
    }
  }
}
