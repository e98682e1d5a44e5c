import { BlockCoder } from './block-coder.ts';
import { type CavlcWriter, MAX_LEVEL } from './cavlc.ts';
import type { CoefficientCounts } from './coefficient-counts.ts';
import type { Plane } from './picture.ts';
import { type Quantiser, ZIGZAG } from './quantiser.ts';
import { BLOCK_X, BLOCK_Y } from './residual-blocks.ts';
import { hadamard4x4 } from './transform.ts';

/**
 * The luma residual of an Intra_16x16 macroblock: AC by block, and the sixteen DC coefficients in a separate block.
 */
export class Intra16x16Residual {
  /** Whether the AC blocks are coded: all of them or none (clause 7.4.5). */
  codedAc = false;
  /** Whether CAVLC can represent every level. */
  fits = true;
  readonly #coder: BlockCoder;
  /** DC coefficients as a 4x4 matrix of blocks in raster order, and their levels in scan order. */
  readonly #dc = new Int32Array(16);
  readonly #dcLevels = new Int32Array(16);

  constructor(quantiser: Quantiser) {
    this.#coder = new BlockCoder(quantiser, 16, 1);
  }

  transform(source: Uint8Array, prediction: Uint8Array): void {
    for (let k = 0; k < 16; k++) {
      const from = BLOCK_Y[k]! * 64 + BLOCK_X[k]! * 4;
      this.#dc[BLOCK_Y[k]! * 4 + BLOCK_X[k]!] = this.#coder.transform(k, source, prediction, from, 16);
    }
    this.codedAc = this.#coder.coded !== 0;
    hadamard4x4(this.#dc);
    this.fits = true;
    for (let i = 0; i < 16; i++) {
      // Half of the Hadamard gain is removed here, and the other half in the scaling.
      const level = this.#coder.quantiser.quantiseDc(this.#dc[ZIGZAG[i]!]! >> 1);
      this.#dcLevels[i] = level;
      if (Math.abs(level) > MAX_LEVEL) this.fits = false;
    }
  }

  write(out: CavlcWriter, counts: CoefficientCounts, mbX: number, mbY: number): void {
    out.residualBlock(this.#dcLevels, 0, 16, counts.context(mbX * 4, mbY * 4));
    for (let k = 0; k < 16; k++) {
      const x = mbX * 4 + BLOCK_X[k]!;
      const y = mbY * 4 + BLOCK_Y[k]!;
      counts.set(x, y, this.codedAc ? this.#coder.write(k, out, counts.context(x, y)) : 0);
    }
  }

  reconstruct(prediction: Uint8Array, plane: Plane, mbX: number, mbY: number): void {
    for (let i = 0; i < 16; i++) this.#dc[ZIGZAG[i]!] = this.#dcLevels[i]!;
    hadamard4x4(this.#dc);
    for (let k = 0; k < 16; k++) {
      const dc = this.#coder.quantiser.scaleLumaDc(this.#dc[BLOCK_Y[k]! * 4 + BLOCK_X[k]!]!);
      const from = BLOCK_Y[k]! * 64 + BLOCK_X[k]! * 4;
      const to = (mbY * 16 + BLOCK_Y[k]! * 4) * plane.width + mbX * 16 + BLOCK_X[k]! * 4;
      this.#coder.reconstruct(k, dc, prediction, from, 16, plane.samples, to, plane.width);
    }
  }
}

/** The luma residual of a P_L0_16x16 macroblock: sixteen complete blocks. */
export class InterLumaResidual {
  /** CodedBlockPatternLuma: one bit for each 8x8 block (clause 7.4.5). */
  codedBlockPattern = 0;
  readonly #coder: BlockCoder;

  constructor(quantiser: Quantiser) {
    this.#coder = new BlockCoder(quantiser, 16, 0);
  }

  /** Sets the residual to zero, because the motion is exact. */
  clear(): void {
    this.#coder.coded = 0;
    this.codedBlockPattern = 0;
  }

  transform(source: Uint8Array, prediction: Uint8Array): void {
    for (let k = 0; k < 16; k++) {
      this.#coder.transform(k, source, prediction, BLOCK_Y[k]! * 64 + BLOCK_X[k]! * 4, 16);
    }
    this.codedBlockPattern = 0;
    for (let quarter = 0; quarter < 4; quarter++) {
      if ((this.#coder.coded >> (quarter * 4)) & 15) this.codedBlockPattern |= 1 << quarter;
    }
  }

  write(out: CavlcWriter, counts: CoefficientCounts, mbX: number, mbY: number): void {
    for (let k = 0; k < 16; k++) {
      const x = mbX * 4 + BLOCK_X[k]!;
      const y = mbY * 4 + BLOCK_Y[k]!;
      const coded = (this.codedBlockPattern >> (k >> 2)) & 1;
      counts.set(x, y, coded ? this.#coder.write(k, out, counts.context(x, y)) : 0);
    }
  }

  reconstruct(prediction: Uint8Array, plane: Plane, mbX: number, mbY: number): void {
    for (let k = 0; k < 16; k++) {
      const from = BLOCK_Y[k]! * 64 + BLOCK_X[k]! * 4;
      const to = (mbY * 16 + BLOCK_Y[k]! * 4) * plane.width + mbX * 16 + BLOCK_X[k]! * 4;
      this.#coder.reconstruct(k, 0, prediction, from, 16, plane.samples, to, plane.width);
    }
  }
}
