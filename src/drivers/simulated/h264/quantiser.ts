/** Zig-zag scan: raster index of the i-th coefficient of a 4x4 block (Table 8-12, Figure 8-8 a). */
export const ZIGZAG = Uint8Array.of(0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15);

/** normAdjust4x4 by QP % 6, then by class of coefficient: both indices even, both odd, other (clause 8.5.9). */
const NORM_ADJUST = [
  [10, 16, 13],
  [11, 18, 14],
  [13, 20, 16],
  [14, 23, 18],
  [16, 25, 20],
  [18, 29, 23],
] as const;

/**
 * Gain of the forward and inverse core transforms together, by class: an even row of the matrix contributes 4; an odd
 * row, which the inverse halves, contributes 5.
 */
const TRANSFORM_GAINS = [16, 25, 20] as const;
/** The largest |weight| of a sample in a coefficient of the class. */
const PEAK_GAINS = [1, 4, 2] as const;

/** QPc by qPI from 30 on (Table 8-15); below 30 they are equal. */
const CHROMA_QP_FROM_30 = [
  29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39,
];

export function chromaQp(qp: number): number {
  return qp < 30 ? qp : CHROMA_QP_FROM_30[qp - 30]!;
}

/**
 * Rounding offsets, as divisors of the step. The standard leaves them to the encoder; a third for intra and a sixth
 * for inter are the values of the reference software (JM).
 */
const ROUNDING_DIVISOR = { intra: 3, inter: 6 } as const;
export type Prediction = keyof typeof ROUNDING_DIVISOR;

function coefficientClass(index: number): 0 | 1 | 2 {
  const oddColumn = index & 1;
  const oddRow = (index >> 2) & 1;
  return oddColumn === oddRow ? (oddColumn as 0 | 1) : 2;
}

/** Quantisation and scaling of 4x4 blocks at one QP. */
export class Quantiser {
  readonly qp: number;
  /**
   * A block whose sum of absolute residuals is below this has no nonzero AC level, and no nonzero DC level if its DC
   * is not coded separately.
   */
  readonly deadZone: number;
  readonly #multipliers = new Int32Array(16);
  readonly #scales = new Int32Array(16);
  readonly #shift: number;
  readonly #rounding: number;

  constructor(qp: number, prediction: Prediction) {
    this.qp = qp;
    const period = Math.floor(qp / 6);
    this.#shift = 15 + period;
    this.#rounding = Math.floor((1 << this.#shift) / ROUNDING_DIVISOR[prediction]);
    const threshold = (1 << this.#shift) - this.#rounding;
    let deadZone = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 16; i++) {
      const kind = coefficientClass(i);
      const norm = NORM_ADJUST[qp % 6]![kind];
      // 2^15 from the shift at QP 0, times 2^6 by which the inverse transform divides.
      this.#multipliers[i] = Math.round((1 << 21) / (norm * TRANSFORM_GAINS[kind]));
      this.#scales[i] = norm << period;
      deadZone = Math.min(deadZone, Math.ceil(threshold / (this.#multipliers[i]! * PEAK_GAINS[kind])));
    }
    this.deadZone = deadZone;
  }

  /**
   * Quantises coefficients `first` to 15 (in scan order) of the block at `at` into `levels`, which is also in scan
   * order. Returns whether any level is nonzero.
   */
  quantise(block: Int32Array, levels: Int32Array, at: number, first: number): boolean {
    const multipliers = this.#multipliers;
    const rounding = this.#rounding;
    const shift = this.#shift;
    let nonzero = 0;
    for (let i = first; i < 16; i++) {
      const index = ZIGZAG[i]!;
      const coefficient = block[at + index]!;
      const magnitude = (Math.abs(coefficient) * multipliers[index]! + rounding) >> shift;
      levels[at + i] = coefficient < 0 ? -magnitude : magnitude;
      nonzero |= magnitude;
    }
    return nonzero !== 0;
  }

  /**
   * The scaling of clause 8.5.12.1: converts `levels` in scan order, from `first` on, to coefficients in raster
   * order.
   */
  scale(levels: Int32Array, block: Int32Array, at: number, first: number): void {
    const scales = this.#scales;
    for (let i = first; i < 16; i++) {
      const index = ZIGZAG[i]!;
      block[at + index] = levels[at + i]! * scales[index]!;
    }
  }

  /** Quantises a DC coefficient after its Hadamard transform, which has doubled the gain. */
  quantiseDc(coefficient: number): number {
    const magnitude =
      (Math.abs(coefficient) * this.#multipliers[0]! + 2 * this.#rounding) >> (this.#shift + 1);
    return coefficient < 0 ? -magnitude : magnitude;
  }

  /** The scaling of Intra_16x16 luma DC after its Hadamard transform (clause 8.5.10). */
  scaleLumaDc(coefficient: number): number {
    return (coefficient * this.#scales[0]! + 2) >> 2;
  }

  /** The scaling of chroma DC after its Hadamard transform (clause 8.5.11.2). */
  scaleChromaDc(coefficient: number): number {
    return (coefficient * this.#scales[0]!) >> 1;
  }
}
