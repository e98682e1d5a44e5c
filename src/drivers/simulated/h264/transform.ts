/**
 * Forward core transform of the 4x4 block at `at`, in place, rows first. Clause 8.5.12.2 defines its inverse. The
 * norms that make it orthogonal are folded into the quantiser.
 */
export function forwardTransform4x4(block: Int32Array, at: number): void {
  for (let i = at; i < at + 16; i += 4) {
    const sum03 = block[i]! + block[i + 3]!;
    const difference03 = block[i]! - block[i + 3]!;
    const sum12 = block[i + 1]! + block[i + 2]!;
    const difference12 = block[i + 1]! - block[i + 2]!;
    block[i] = sum03 + sum12;
    block[i + 1] = 2 * difference03 + difference12;
    block[i + 2] = sum03 - sum12;
    block[i + 3] = difference03 - 2 * difference12;
  }
  for (let i = at; i < at + 4; i++) {
    const sum03 = block[i]! + block[i + 12]!;
    const difference03 = block[i]! - block[i + 12]!;
    const sum12 = block[i + 4]! + block[i + 8]!;
    const difference12 = block[i + 4]! - block[i + 8]!;
    block[i] = sum03 + sum12;
    block[i + 4] = 2 * difference03 + difference12;
    block[i + 8] = sum03 - sum12;
    block[i + 12] = difference03 - 2 * difference12;
  }
}

/** Inverse core transform of scaled coefficients, in place, with the rounding to samples (clause 8.5.12.2). */
export function inverseTransform4x4(block: Int32Array, at: number): void {
  for (let i = at; i < at + 16; i += 4) {
    const even0 = block[i]! + block[i + 2]!;
    const even1 = block[i]! - block[i + 2]!;
    const odd0 = (block[i + 1]! >> 1) - block[i + 3]!;
    const odd1 = block[i + 1]! + (block[i + 3]! >> 1);
    block[i] = even0 + odd1;
    block[i + 1] = even1 + odd0;
    block[i + 2] = even1 - odd0;
    block[i + 3] = even0 - odd1;
  }
  for (let i = at; i < at + 4; i++) {
    const even0 = block[i]! + block[i + 8]! + 32;
    const even1 = block[i]! - block[i + 8]! + 32;
    const odd0 = (block[i + 4]! >> 1) - block[i + 12]!;
    const odd1 = block[i + 4]! + (block[i + 12]! >> 1);
    block[i] = (even0 + odd1) >> 6;
    block[i + 4] = (even1 + odd0) >> 6;
    block[i + 8] = (even1 - odd0) >> 6;
    block[i + 12] = (even0 - odd1) >> 6;
  }
}

/**
 * The 4x4 Hadamard transform of Intra_16x16 luma DC, in place. It is its own inverse except for a factor of 16
 * (clause 8.5.10).
 */
export function hadamard4x4(block: Int32Array): void {
  for (let i = 0; i < 16; i += 4) hadamard4(block, i, 1);
  for (let i = 0; i < 4; i++) hadamard4(block, i, 4);
}

function hadamard4(block: Int32Array, at: number, step: number): void {
  const sum03 = block[at]! + block[at + 3 * step]!;
  const difference03 = block[at]! - block[at + 3 * step]!;
  const sum12 = block[at + step]! + block[at + 2 * step]!;
  const difference12 = block[at + step]! - block[at + 2 * step]!;
  block[at] = sum03 + sum12;
  block[at + step] = difference03 + difference12;
  block[at + 2 * step] = sum03 - sum12;
  block[at + 3 * step] = difference03 - difference12;
}

/**
 * The 2x2 Hadamard transform of chroma DC, in place. It is its own inverse except for a factor of 4 (clause
 * 8.5.11.1).
 */
export function hadamard2x2(block: Int32Array): void {
  const top = block[0]! + block[1]!;
  const topDifference = block[0]! - block[1]!;
  const bottom = block[2]! + block[3]!;
  const bottomDifference = block[2]! - block[3]!;
  block[0] = top + bottom;
  block[1] = topDifference + bottomDifference;
  block[2] = top - bottom;
  block[3] = topDifference - bottomDifference;
}
