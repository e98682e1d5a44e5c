import { ChromaResidual } from './chroma-residual.ts';
import { InterLumaResidual } from './luma-residual.ts';
import { MacroblockSamples, sumOfAbsoluteDifferences } from './macroblock-samples.ts';
import { MB_TYPE_P_L0_16X16 } from './macroblock-type.ts';
import { compensateMotion } from './motion-compensation.ts';
import type { PictureState } from './picture-state.ts';
import { chromaQp, Quantiser } from './quantiser.ts';

/** Motion vectors are in quarter luma samples. */
export const VECTOR_UNITS = 4;

/** Codes macroblocks as P_L0_16x16, with motion by whole luma rows. */
export class InterMacroblock {
  readonly #state: PictureState;
  readonly #prediction = new MacroblockSamples();
  readonly #luma: InterLumaResidual;
  readonly #chroma: ChromaResidual;

  constructor(state: PictureState, qp: number) {
    this.#state = state;
    this.#luma = new InterLumaResidual(new Quantiser(qp, 'inter'));
    this.#chroma = new ChromaResidual(new Quantiser(chromaQp(qp), 'inter'));
  }

  /** 0 if there is no residual. If the vector is also the predicted one, the macroblock is P_Skip. */
  get codedBlockPattern(): number {
    return this.#luma.codedBlockPattern + 16 * this.#chroma.codedBlockPattern;
  }

  predict(mbX: number, mbY: number, dy: number): void {
    compensateMotion(this.#state.reference, this.#prediction, mbX, mbY, dy);
  }

  lumaCost(source: MacroblockSamples): number {
    return sumOfAbsoluteDifferences(source.luma, this.#prediction.luma);
  }

  /** Sets the residual to zero. The prediction differs from the source only by the quantisation error of earlier pictures. */
  clearResidual(): void {
    this.#luma.clear();
    this.#chroma.clear();
  }

  /** Returns false if CAVLC cannot represent the levels. The macroblock then cannot be written in this form. */
  transform(source: MacroblockSamples): boolean {
    this.#luma.transform(source.luma, this.#prediction.luma);
    this.#chroma.transform(source, this.#prediction);
    return this.#chroma.fits;
  }

  /**
   * `transform` for the case in which luma needs no residual (as in `clearResidual`), but chroma was interpolated
   * between two rows.
   */
  transformChroma(source: MacroblockSamples): boolean {
    this.#luma.clear();
    this.#chroma.transform(source, this.#prediction);
    return this.#chroma.fits;
  }

  write(mbX: number, mbY: number, dy: number): void {
    const { out, cavlc, motion, lumaCounts, cbCounts, crCounts } = this.#state;
    out.unsignedExpGolomb(MB_TYPE_P_L0_16X16);
    out.signedExpGolomb(0); // mvd_l0, horizontal
    out.signedExpGolomb(dy * VECTOR_UNITS - motion.predict(mbX, mbY));
    const pattern = this.codedBlockPattern;
    out.unsignedExpGolomb(INTER_CODED_BLOCK_PATTERN[pattern]!);
    if (pattern === 0) return;
    out.signedExpGolomb(0); // mb_qp_delta
    this.#luma.write(cavlc, lumaCounts, mbX, mbY);
    this.#chroma.write(cavlc, cbCounts, crCounts, mbX, mbY);
  }

  reconstruct(mbX: number, mbY: number): void {
    const { reconstruction } = this.#state;
    if (this.codedBlockPattern === 0) {
      this.#prediction.copyTo(reconstruction, mbX, mbY);
      return;
    }
    this.#luma.reconstruct(this.#prediction.luma, reconstruction.luma, mbX, mbY);
    this.#chroma.reconstruct(this.#prediction, reconstruction, mbX, mbY);
  }
}

/** Table 9-4, ChromaArrayType 1, the Inter column: coded_block_pattern by codeNum. */
// biome-ignore format: sixteen values a line
const INTER_PATTERN_BY_CODE_NUMBER = [
  0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13,
  14, 6, 9, 31, 35, 37, 42, 44, 33, 34, 36, 40, 39, 43, 45, 46,
  17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41,
]

/** codeNum by coded_block_pattern (CodedBlockPatternLuma + 16 * CodedBlockPatternChroma) of an inter macroblock. */
export const INTER_CODED_BLOCK_PATTERN = Uint8Array.from(INTER_PATTERN_BY_CODE_NUMBER, (_, pattern) =>
  INTER_PATTERN_BY_CODE_NUMBER.indexOf(pattern),
);
