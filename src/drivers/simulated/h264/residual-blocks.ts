/** Column and row of the sixteen 4x4 luma blocks in coding order (Figure 6-10). Chroma uses the first four. */
export const BLOCK_X = Uint8Array.of(0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3);
export const BLOCK_Y = Uint8Array.of(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3);

/**
 * Subtracts a 4x4 block of `prediction` from one of `source`, both at `from` with the same stride, into `block` at `at`.
 * Returns the sum of absolute differences.
 */
export function subtractBlock(
  source: Uint8Array,
  prediction: Uint8Array,
  from: number,
  stride: number,
  block: Int32Array,
  at: number,
): number {
  let sum = 0;
  for (let y = 0; y < 4; y++) {
    const row = from + y * stride;
    for (let x = 0; x < 4; x++) {
      const difference = source[row + x]! - prediction[row + x]!;
      block[at + y * 4 + x] = difference;
      sum += Math.abs(difference);
    }
  }
  return sum;
}

export function sumBlock(block: Int32Array, at: number): number {
  let sum = 0;
  for (let i = at; i < at + 16; i++) sum += block[i]!;
  return sum;
}

/** Adds the residual `block` at `at` to a 4x4 block of `prediction`, with clipping, into `target`. */
export function addBlock(
  prediction: Uint8Array,
  from: number,
  stride: number,
  block: Int32Array,
  at: number,
  target: Uint8Array,
  to: number,
  targetStride: number,
): void {
  for (let y = 0; y < 4; y++) {
    const fromRow = from + y * stride;
    const toRow = to + y * targetStride;
    for (let x = 0; x < 4; x++) {
      const sample = prediction[fromRow + x]! + block[at + y * 4 + x]!;
      target[toRow + x] = sample < 0 ? 0 : sample > 255 ? 255 : sample;
    }
  }
}

/** Same as `addBlock` for a block with a single value, which results from a block with only a DC coefficient. */
export function addConstant(
  prediction: Uint8Array,
  from: number,
  stride: number,
  value: number,
  target: Uint8Array,
  to: number,
  targetStride: number,
): void {
  for (let y = 0; y < 4; y++) {
    const fromRow = from + y * stride;
    const toRow = to + y * targetStride;
    for (let x = 0; x < 4; x++) {
      const sample = prediction[fromRow + x]! + value;
      target[toRow + x] = sample < 0 ? 0 : sample > 255 ? 255 : sample;
    }
  }
}
