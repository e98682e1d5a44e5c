import { ChromaResidual } from './chroma-residual.ts';
import { IntraDecision } from './intra-decision.ts';
import { Intra16x16Residual } from './luma-residual.ts';
import { MacroblockSamples } from './macroblock-samples.ts';
import { INTRA_TYPES_IN_P_SLICE, MB_TYPE_I_16X16 } from './macroblock-type.ts';
import type { PictureState } from './picture-state.ts';
import { chromaQp, Quantiser } from './quantiser.ts';

/** Codes macroblocks as Intra_16x16. */
export class IntraMacroblock {
  readonly #state: PictureState;
  readonly #decision = new IntraDecision();
  readonly #prediction = new MacroblockSamples();
  readonly #luma: Intra16x16Residual;
  readonly #chroma: ChromaResidual;

  constructor(state: PictureState, qp: number) {
    this.#state = state;
    this.#luma = new Intra16x16Residual(new Quantiser(qp, 'intra'));
    this.#chroma = new ChromaResidual(new Quantiser(chromaQp(qp), 'intra'));
  }

  /** Predicts luma. Returns the sum of absolute differences from the source. */
  predictLuma(source: MacroblockSamples, mbX: number, mbY: number): number {
    const plane = this.#state.reconstruction.luma;
    this.#decision.predictLuma(source.luma, this.#prediction.luma, plane, mbX, mbY);
    return this.#decision.lumaCost;
  }

  /**
   * Called after `predictLuma`. Returns false if CAVLC cannot represent the levels. The macroblock then cannot be
   * written in this form.
   */
  transform(source: MacroblockSamples, mbX: number, mbY: number): boolean {
    this.#decision.predictChroma(source, this.#prediction, this.#state.reconstruction, mbX, mbY);
    this.#luma.transform(source.luma, this.#prediction.luma);
    this.#chroma.transform(source, this.#prediction);
    return this.#luma.fits && this.#chroma.fits;
  }

  write(mbX: number, mbY: number, idr: boolean): void {
    const { out, cavlc, lumaCounts, cbCounts, crCounts } = this.#state;
    const residual = 4 * this.#chroma.codedBlockPattern + (this.#luma.codedAc ? 12 : 0);
    const type = MB_TYPE_I_16X16 + this.#decision.lumaMode + residual;
    out.unsignedExpGolomb(type + (idr ? 0 : INTRA_TYPES_IN_P_SLICE));
    out.unsignedExpGolomb(this.#decision.chromaMode);
    out.signedExpGolomb(0); // mb_qp_delta
    this.#luma.write(cavlc, lumaCounts, mbX, mbY);
    this.#chroma.write(cavlc, cbCounts, crCounts, mbX, mbY);
  }

  reconstruct(mbX: number, mbY: number): void {
    const { reconstruction } = this.#state;
    this.#luma.reconstruct(this.#prediction.luma, reconstruction.luma, mbX, mbY);
    this.#chroma.reconstruct(this.#prediction, reconstruction, mbX, mbY);
  }
}
