import { macroblockEquals } from './changed-rows.ts';
import { convertMacroblock } from './colour.ts';
import { InterMacroblock, VECTOR_UNITS } from './inter-macroblock.ts';
import { IntraMacroblock } from './intra-macroblock.ts';
import { MacroblockSamples } from './macroblock-samples.ts';
import type { StreamFormat } from './parameter-sets.ts';
import { codePcm, PCM_BITS } from './pcm-macroblock.ts';
import type { Picture } from './picture.ts';
import { PictureState } from './picture-state.ts';
import { type SliceHeader, writeSliceHeader } from './slice-header.ts';

/** Two frames as RGBA words, and the motion between them that `ScrollDetector` proposes. */
export interface FrameChange {
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly scroll: number;
}

/** Encodes one picture as one slice, and decides how each macroblock is coded. */
export class PictureEncoder {
  readonly #format: StreamFormat;
  readonly #state: PictureState;
  readonly #intra: IntraMacroblock;
  readonly #inter: InterMacroblock;
  readonly #source = new MacroblockSamples();
  /** The value of mb_skip_run so far. */
  #skipped = 0;

  constructor(format: StreamFormat) {
    this.#format = format;
    this.#state = new PictureState(format.widthInMacroblocks, format.heightInMacroblocks);
    this.#intra = new IntraMacroblock(this.#state, format.qp);
    this.#inter = new InterMacroblock(this.#state, format.qp);
  }

  get reconstruction(): Picture {
    return this.#state.reconstruction;
  }

  /** Returns the RBSP of an IDR picture's slice as a view that is valid until the next call. */
  encodeIdr(header: SliceHeader, words: Int32Array): Uint8Array {
    this.#start(header);
    for (let mbY = 0; mbY < this.#format.heightInMacroblocks; mbY++) {
      for (let mbX = 0; mbX < this.#format.widthInMacroblocks; mbX++) {
        this.#convert(words, mbX, mbY);
        this.#intra.predictLuma(this.#source, mbX, mbY);
        this.#codeIntra(mbX, mbY, true);
      }
    }
    return this.#finish();
  }

  /** Returns the RBSP of a P picture's slice as a view that is valid until the next call. */
  encodePredicted(header: SliceHeader, change: FrameChange): Uint8Array {
    this.#start(header);
    this.#skipped = 0;
    for (let mbY = 0; mbY < this.#format.heightInMacroblocks; mbY++) {
      for (let mbX = 0; mbX < this.#format.widthInMacroblocks; mbX++) {
        if (!this.#codeCopy(change, mbX, mbY)) this.#codeChange(change, mbX, mbY);
      }
    }
    if (this.#skipped > 0) this.#writeSkipRun();
    return this.#finish();
  }

  #start(header: SliceHeader): void {
    this.#state.startPicture(header.idr);
    writeSliceHeader(this.#state.out, header);
  }

  #finish(): Uint8Array {
    this.#state.out.trailingBits();
    return this.#state.out.bytes;
  }

  /** Codes a macroblock that is unchanged or that moved with the scroll. Returns false if it is neither. */
  #codeCopy(change: FrameChange, mbX: number, mbY: number): boolean {
    const { scroll } = change;
    const scrolled = scroll !== 0 && this.#isCopy(change, mbX, mbY, scroll);
    // A blank macroblock matches both cases. The one that P_Skip predicts is chosen.
    const skipped = scrolled && this.#state.motion.predictSkip(mbX, mbY) === scroll * VECTOR_UNITS;
    if (!skipped && this.#isCopy(change, mbX, mbY, 0)) {
      this.#inter.clearResidual();
      this.#writeInter(mbX, mbY, 0);
      return true;
    }
    if (scrolled) this.#codeScrolled(change, mbX, mbY);
    return scrolled;
  }

  #isCopy({ before, after }: FrameChange, mbX: number, mbY: number, dy: number): boolean {
    return macroblockEquals(before, after, this.#format.width, this.#format.height, mbX, mbY, dy);
  }

  #codeScrolled({ after, scroll }: FrameChange, mbX: number, mbY: number): void {
    this.#inter.predict(mbX, mbY, scroll);
    if ((scroll & 1) === 0) {
      this.#inter.clearResidual();
      this.#writeInter(mbX, mbY, scroll);
      this.#inter.reconstruct(mbX, mbY);
      return;
    }
    this.#convert(after, mbX, mbY);
    this.#codeInter(mbX, mbY, scroll, this.#inter.transformChroma(this.#source));
  }

  /** Codes a macroblock of new content, as the difference from its previous content or from its neighbours. */
  #codeChange({ after }: FrameChange, mbX: number, mbY: number): void {
    this.#convert(after, mbX, mbY);
    const intraCost = this.#intra.predictLuma(this.#source, mbX, mbY);
    this.#inter.predict(mbX, mbY, 0);
    if (this.#inter.lumaCost(this.#source) > intraCost) this.#codeIntra(mbX, mbY, false);
    else this.#codeInter(mbX, mbY, 0, this.#inter.transform(this.#source));
  }

  /** Called after `IntraMacroblock.predictLuma`. */
  #codeIntra(mbX: number, mbY: number, idr: boolean): void {
    const start = idr ? this.#state.out.bitLength : this.#writeSkipRun();
    this.#state.motion.setIntra(mbX, mbY);
    const fits = this.#intra.transform(this.#source, mbX, mbY);
    if (fits) this.#intra.write(mbX, mbY, idr);
    if (this.#replaceByPcm(fits, start, mbX, mbY, idr)) return;
    this.#intra.reconstruct(mbX, mbY);
  }

  /** Called after `InterMacroblock.predict` and a transform, whose result is `fits`. */
  #codeInter(mbX: number, mbY: number, dy: number, fits: boolean): void {
    const start = fits ? this.#writeInter(mbX, mbY, dy) : this.#writeSkipRun();
    if (this.#replaceByPcm(fits, start, mbX, mbY, false)) return;
    this.#inter.reconstruct(mbX, mbY);
  }

  /** Returns the bit position at which the macroblock's own bits start. */
  #writeInter(mbX: number, mbY: number, dy: number): number {
    const { motion, out } = this.#state;
    const vector = dy * VECTOR_UNITS;
    let start = out.bitLength;
    if (this.#inter.codedBlockPattern === 0 && vector === motion.predictSkip(mbX, mbY)) {
      this.#skipped++;
    } else {
      start = this.#writeSkipRun();
      this.#inter.write(mbX, mbY, dy);
    }
    motion.set(mbX, mbY, vector);
    return start;
  }

  #replaceByPcm(fits: boolean, start: number, mbX: number, mbY: number, idr: boolean): boolean {
    const { out, motion } = this.#state;
    if (fits && out.bitLength - start <= PCM_BITS) return false;
    out.rewind(start);
    motion.setIntra(mbX, mbY);
    codePcm(this.#state, this.#source, mbX, mbY, idr);
    return true;
  }

  #writeSkipRun(): number {
    this.#state.out.unsignedExpGolomb(this.#skipped);
    this.#skipped = 0;
    return this.#state.out.bitLength;
  }

  #convert(words: Int32Array, mbX: number, mbY: number): void {
    convertMacroblock(words, this.#format.width, this.#format.height, mbX, mbY, this.#source);
  }
}
