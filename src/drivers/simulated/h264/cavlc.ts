import type { BitWriter } from './bit-writer.ts';
import {
  COEFF_TOKEN,
  COEFF_TOKEN_CHROMA_DC,
  COEFF_TOKEN_COLUMN,
  RUN_BEFORE,
  TOTAL_ZEROS,
  TOTAL_ZEROS_CHROMA_DC,
} from './cavlc-tables.ts';

/** nC of a chroma DC block (clause 9.2.1). */
export const CHROMA_DC_CONTEXT = -1;

/**
 * The largest |level| that every suffixLength can represent. The Baseline profile limits level_prefix to 15 (clause
 * 7.4.5.3.2), which with suffixLength 0 ends at levelCode 30 + 4095.
 */
export const MAX_LEVEL = 2063;

/** Writes residual_block_cavlc() (clause 7.3.5.3.2). */
export class CavlcWriter {
  readonly #out: BitWriter;
  /** The nonzero levels of the block, highest frequency first, and the run of zeros before each. */
  readonly #levels = new Int32Array(16);
  readonly #runs = new Int32Array(16);

  constructor(out: BitWriter) {
    this.#out = out;
  }

  /**
   * Writes the `count` levels from `start`, which are in scan order, for the context `nC`. Returns TotalCoeff, which
   * determines the context of later blocks.
   */
  residualBlock(levels: Int32Array, start: number, count: number, nC: number): number {
    const totalCoeff = this.#collect(levels, start, count);
    const trailingOnes = this.#countTrailingOnes(totalCoeff);
    const column = nC === CHROMA_DC_CONTEXT ? COEFF_TOKEN_CHROMA_DC : COEFF_TOKEN_COLUMN[nC];
    this.#code(COEFF_TOKEN[column!]![totalCoeff * 4 + trailingOnes]!);
    if (totalCoeff === 0) return 0;
    this.#writeLevels(totalCoeff, trailingOnes);
    this.#writeZeros(totalCoeff, count, nC === CHROMA_DC_CONTEXT ? TOTAL_ZEROS_CHROMA_DC : TOTAL_ZEROS);
    return totalCoeff;
  }

  /** Same as `residualBlock` for a block without levels. */
  emptyBlock(nC: number): void {
    this.#code(COEFF_TOKEN[COEFF_TOKEN_COLUMN[nC]!]![0]!);
  }

  #collect(levels: Int32Array, start: number, count: number): number {
    const collected = this.#levels;
    const runs = this.#runs;
    let total = 0;
    let run = 0;
    for (let i = start + count - 1; i >= start; i--) {
      const level = levels[i];
      if (level === 0) {
        run++;
        continue;
      }
      if (total > 0) runs[total - 1] = run;
      collected[total++] = level!;
      run = 0;
    }
    if (total > 0) runs[total - 1] = run;
    return total;
  }

  #countTrailingOnes(totalCoeff: number): number {
    const limit = Math.min(totalCoeff, 3);
    let ones = 0;
    while (ones < limit && Math.abs(this.#levels[ones]!) === 1) ones++;
    return ones;
  }

  #writeLevels(totalCoeff: number, trailingOnes: number): void {
    for (let i = 0; i < trailingOnes; i++) this.#out.bits(this.#levels[i]! < 0 ? 1 : 0, 1);
    let suffixLength = totalCoeff > 10 && trailingOnes < 3 ? 1 : 0;
    for (let i = trailingOnes; i < totalCoeff; i++) {
      const level = this.#levels[i];
      const magnitude = Math.abs(level!);
      let levelCode = 2 * magnitude - (level! > 0 ? 2 : 1);
      // With fewer than three trailing ones, the next level cannot be ±1.
      if (i === trailingOnes && trailingOnes < 3) levelCode -= 2;
      this.#writeLevelCode(levelCode, suffixLength);
      if (suffixLength === 0) suffixLength = 1;
      if (magnitude > 3 << (suffixLength - 1) && suffixLength < 6) suffixLength++;
    }
  }

  /** The inverse of clause 9.2.2.1: level_prefix as that many zeros and a one, then level_suffix. */
  #writeLevelCode(levelCode: number, suffixLength: number): void {
    if (suffixLength === 0 && levelCode < 14) {
      this.#out.bits(1, levelCode + 1);
    } else if (suffixLength === 0 && levelCode < 30) {
      this.#out.bits(1, 15);
      this.#out.bits(levelCode - 14, 4);
    } else {
      const firstEscape = suffixLength === 0 ? 30 : 15 << suffixLength;
      if (levelCode < firstEscape) {
        this.#out.bits(1, (levelCode >> suffixLength) + 1);
        this.#out.bits(levelCode & ((1 << suffixLength) - 1), suffixLength);
      } else {
        this.#out.bits(1, 16);
        this.#out.bits(levelCode - firstEscape, 12);
      }
    }
  }

  #writeZeros(totalCoeff: number, count: number, totalZeros: readonly Int32Array[]): void {
    let zerosLeft = 0;
    for (let i = 0; i < totalCoeff; i++) zerosLeft += this.#runs[i]!;
    if (totalCoeff < count) this.#code(totalZeros[totalCoeff - 1]![zerosLeft]!);
    for (let i = 0; i < totalCoeff - 1 && zerosLeft > 0; i++) {
      const run = this.#runs[i];
      this.#code(RUN_BEFORE[Math.min(zerosLeft, 7) - 1]![run!]!);
      zerosLeft -= run!;
    }
  }

  #code(code: number): void {
    this.#out.bits(code & 0xffff, code >> 16);
  }
}
