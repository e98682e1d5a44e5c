import { BlockCoder } from './block-coder.ts';
import { type CavlcWriter, CHROMA_DC_CONTEXT, MAX_LEVEL } from './cavlc.ts';
import type { CoefficientCounts } from './coefficient-counts.ts';
import type { MacroblockSamples } from './macroblock-samples.ts';
import type { Picture, Plane } from './picture.ts';
import type { Quantiser } from './quantiser.ts';
import { hadamard2x2 } from './transform.ts';

/** CodedBlockPatternChroma (Table 7-15). */
const CODED_NOTHING = 0;
const CODED_DC = 1;
const CODED_DC_AND_AC = 2;

/** The residual of both chroma components of a macroblock, with the quantiser of intra or of inter prediction. */
export class ChromaResidual {
  codedBlockPattern = CODED_NOTHING;
  /** Whether CAVLC can represent every level. */
  fits = true;
  readonly #cb: ChromaComponentResidual;
  readonly #cr: ChromaComponentResidual;

  constructor(quantiser: Quantiser) {
    this.#cb = new ChromaComponentResidual(quantiser);
    this.#cr = new ChromaComponentResidual(quantiser);
  }

  /** Sets the residual to zero, because the motion is exact. */
  clear(): void {
    this.codedBlockPattern = CODED_NOTHING;
  }

  transform(source: MacroblockSamples, prediction: MacroblockSamples): void {
    this.#cb.transform(source.cb, prediction.cb);
    this.#cr.transform(source.cr, prediction.cr);
    this.fits = this.#cb.fits && this.#cr.fits;
    if (this.#cb.codedAc || this.#cr.codedAc) this.codedBlockPattern = CODED_DC_AND_AC;
    else this.codedBlockPattern = this.#cb.codedDc || this.#cr.codedDc ? CODED_DC : CODED_NOTHING;
  }

  write(
    out: CavlcWriter,
    cbCounts: CoefficientCounts,
    crCounts: CoefficientCounts,
    mbX: number,
    mbY: number,
  ): void {
    if (this.codedBlockPattern !== CODED_NOTHING) {
      this.#cb.writeDc(out);
      this.#cr.writeDc(out);
    }
    const codedAc = this.codedBlockPattern === CODED_DC_AND_AC;
    this.#cb.writeAc(out, codedAc, cbCounts, mbX, mbY);
    this.#cr.writeAc(out, codedAc, crCounts, mbX, mbY);
  }

  reconstruct(prediction: MacroblockSamples, picture: Picture, mbX: number, mbY: number): void {
    this.#cb.reconstruct(prediction.cb, picture.cb, mbX, mbY);
    this.#cr.reconstruct(prediction.cr, picture.cr, mbX, mbY);
  }
}

class ChromaComponentResidual {
  codedAc = false;
  codedDc = false;
  fits = true;
  readonly #coder: BlockCoder;
  /** The four DC coefficients in raster order, which is also their scan order (clause 8.5.11). */
  readonly #dc = new Int32Array(4);
  readonly #dcLevels = new Int32Array(4);

  constructor(quantiser: Quantiser) {
    this.#coder = new BlockCoder(quantiser, 4, 1);
  }

  transform(source: Uint8Array, prediction: Uint8Array): void {
    for (let k = 0; k < 4; k++) {
      this.#dc[k] = this.#coder.transform(k, source, prediction, (k >> 1) * 32 + (k & 1) * 4, 8);
    }
    this.codedAc = this.#coder.coded !== 0;
    this.codedDc = false;
    this.fits = true;
    hadamard2x2(this.#dc);
    for (let k = 0; k < 4; k++) {
      const level = this.#coder.quantiser.quantiseDc(this.#dc[k]!);
      this.#dcLevels[k] = level;
      if (level !== 0) this.codedDc = true;
      if (Math.abs(level) > MAX_LEVEL) this.fits = false;
    }
  }

  writeDc(out: CavlcWriter): void {
    out.residualBlock(this.#dcLevels, 0, 4, CHROMA_DC_CONTEXT);
  }

  writeAc(out: CavlcWriter, coded: boolean, counts: CoefficientCounts, mbX: number, mbY: number): void {
    for (let k = 0; k < 4; k++) {
      const x = mbX * 2 + (k & 1);
      const y = mbY * 2 + (k >> 1);
      counts.set(x, y, coded ? this.#coder.write(k, out, counts.context(x, y)) : 0);
    }
  }

  reconstruct(prediction: Uint8Array, plane: Plane, mbX: number, mbY: number): void {
    this.#dc.set(this.#dcLevels);
    hadamard2x2(this.#dc);
    for (let k = 0; k < 4; k++) {
      const dc = this.#coder.quantiser.scaleChromaDc(this.#dc[k]!);
      const from = (k >> 1) * 32 + (k & 1) * 4;
      const to = (mbY * 8 + (k >> 1) * 4) * plane.width + mbX * 8 + (k & 1) * 4;
      this.#coder.reconstruct(k, dc, prediction, from, 8, plane.samples, to, plane.width);
    }
  }
}
