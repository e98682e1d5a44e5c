import type { CavlcWriter } from './cavlc.ts';
import type { Quantiser } from './quantiser.ts';
import { addBlock, addConstant, subtractBlock, sumBlock } from './residual-blocks.ts';
import { forwardTransform4x4, inverseTransform4x4 } from './transform.ts';

/**
 * The 4x4 blocks of one component of a macroblock, from samples to levels and back. With `firstCoefficient` 1, their
 * DC coefficients are coded in a separate block (Intra_16x16 luma, and chroma).
 */
export class BlockCoder {
  readonly quantiser: Quantiser;
  /** One bit for each block that has a nonzero level. */
  coded = 0;
  readonly #firstCoefficient: 0 | 1;
  /** Residuals, then coefficients in raster order. */
  readonly #blocks: Int32Array;
  /** Levels in scan order. The entries of a block that is not coded are stale. */
  readonly #levels: Int32Array;

  constructor(quantiser: Quantiser, blockCount: number, firstCoefficient: 0 | 1) {
    this.quantiser = quantiser;
    this.#firstCoefficient = firstCoefficient;
    this.#blocks = new Int32Array(blockCount * 16);
    this.#levels = new Int32Array(blockCount * 16);
  }

  /**
   * Transforms and quantises block `k`, whose first sample is at `from`. Returns its DC coefficient before
   * quantisation.
   */
  transform(k: number, source: Uint8Array, prediction: Uint8Array, from: number, stride: number): number {
    const at = k * 16;
    const difference = subtractBlock(source, prediction, from, stride, this.#blocks, at);
    const bit = 1 << k;
    if (difference < this.quantiser.deadZone) {
      this.coded &= ~bit;
      return difference === 0 ? 0 : sumBlock(this.#blocks, at);
    }
    forwardTransform4x4(this.#blocks, at);
    if (this.quantiser.quantise(this.#blocks, this.#levels, at, this.#firstCoefficient)) this.coded |= bit;
    else this.coded &= ~bit;
    return this.#blocks[at]!;
  }

  /** Returns TotalCoeff. */
  write(k: number, out: CavlcWriter, nC: number): number {
    if ((this.coded & (1 << k)) === 0) {
      out.emptyBlock(nC);
      return 0;
    }
    return out.residualBlock(this.#levels, k * 16 + this.#firstCoefficient, 16 - this.#firstCoefficient, nC);
  }

  /**
   * Writes the sum of prediction and residual of block `k` to `target`. `dc` is its scaled DC coefficient if that is
   * coded separately.
   */
  reconstruct(
    k: number,
    dc: number,
    prediction: Uint8Array,
    from: number,
    stride: number,
    target: Uint8Array,
    to: number,
    targetStride: number,
  ): void {
    if ((this.coded & (1 << k)) === 0) {
      addConstant(prediction, from, stride, (dc + 32) >> 6, target, to, targetStride);
      return;
    }
    const at = k * 16;
    this.quantiser.scale(this.#levels, this.#blocks, at, this.#firstCoefficient);
    if (this.#firstCoefficient === 1) this.#blocks[at] = dc;
    inverseTransform4x4(this.#blocks, at);
    addBlock(prediction, from, stride, this.#blocks, at, target, to, targetStride);
  }
}
