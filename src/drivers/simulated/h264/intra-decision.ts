import {
  lumaDc,
  Neighbours,
  predictChromaDc,
  predictHorizontal,
  predictPlane,
  predictVertical,
} from './intra-prediction.ts';
import { type MacroblockSamples, sumOfAbsoluteDifferences } from './macroblock-samples.ts';
import type { Picture, Plane } from './picture.ts';

/** Intra16x16PredMode (Table 8-4). */
const LUMA_VERTICAL = 0;
const LUMA_HORIZONTAL = 1;
const LUMA_DC = 2;
const LUMA_PLANE = 3;

/** intra_chroma_pred_mode (Table 8-5). */
const CHROMA_DC = 0;
const CHROMA_HORIZONTAL = 1;
const CHROMA_VERTICAL = 2;

/** Mean error per sample below which the plane mode cannot bring a relevant gain. */
const PLANE_WORTH_TRYING = 1;

/** Chooses the Intra_16x16 and chroma modes with the smallest sum of absolute differences, and predicts with them. */
export class IntraDecision {
  lumaMode = LUMA_DC;
  lumaCost = 0;
  chromaMode = CHROMA_DC;
  readonly #luma = new Neighbours(16);
  readonly #cb = new Neighbours(8);
  readonly #cr = new Neighbours(8);

  predictLuma(source: Uint8Array, prediction: Uint8Array, plane: Plane, mbX: number, mbY: number): void {
    const neighbours = this.#luma;
    neighbours.load(plane, mbX, mbY);
    const dc = lumaDc(neighbours);
    prediction.fill(dc);
    let mode = LUMA_DC;
    let cost = sumOfAbsoluteDifferences(source, prediction);
    if (cost > 0 && neighbours.hasTop) {
      const vertical = verticalCost(source, neighbours);
      if (vertical < cost) {
        mode = LUMA_VERTICAL;
        cost = vertical;
      }
    }
    if (cost > 0 && neighbours.hasLeft) {
      const horizontal = horizontalCost(source, neighbours);
      if (horizontal < cost) {
        mode = LUMA_HORIZONTAL;
        cost = horizontal;
      }
    }
    if (neighbours.hasTop && neighbours.hasLeft && cost > PLANE_WORTH_TRYING * source.length) {
      predictPlane(neighbours, prediction);
      const planar = sumOfAbsoluteDifferences(source, prediction);
      if (planar < cost) {
        mode = LUMA_PLANE;
        cost = planar;
      } else prediction.fill(dc);
    }
    if (mode === LUMA_VERTICAL) predictVertical(neighbours, prediction);
    else if (mode === LUMA_HORIZONTAL) predictHorizontal(neighbours, prediction);
    this.lumaMode = mode;
    this.lumaCost = cost;
  }

  predictChroma(
    source: MacroblockSamples,
    prediction: MacroblockSamples,
    reconstruction: Picture,
    mbX: number,
    mbY: number,
  ): void {
    const cb = this.#cb;
    const cr = this.#cr;
    cb.load(reconstruction.cb, mbX, mbY);
    cr.load(reconstruction.cr, mbX, mbY);
    predictChromaDc(cb, prediction.cb);
    predictChromaDc(cr, prediction.cr);
    let mode = CHROMA_DC;
    let cost = chromaCost(source, prediction);
    if (cost > 0 && cb.hasTop) {
      const vertical = verticalCost(source.cb, cb) + verticalCost(source.cr, cr);
      if (vertical < cost) {
        mode = CHROMA_VERTICAL;
        cost = vertical;
      }
    }
    if (cost > 0 && cb.hasLeft) {
      const horizontal = horizontalCost(source.cb, cb) + horizontalCost(source.cr, cr);
      if (horizontal < cost) {
        mode = CHROMA_HORIZONTAL;
        cost = horizontal;
      }
    }
    if (mode === CHROMA_VERTICAL) {
      predictVertical(cb, prediction.cb);
      predictVertical(cr, prediction.cr);
    } else if (mode === CHROMA_HORIZONTAL) {
      predictHorizontal(cb, prediction.cb);
      predictHorizontal(cr, prediction.cr);
    }
    this.chromaMode = mode;
  }
}

function chromaCost(source: MacroblockSamples, prediction: MacroblockSamples): number {
  return (
    sumOfAbsoluteDifferences(source.cb, prediction.cb) + sumOfAbsoluteDifferences(source.cr, prediction.cr)
  );
}

function verticalCost(source: Uint8Array, { top, size }: Neighbours): number {
  let cost = 0;
  for (let at = 0; at < source.length; at += size) {
    for (let x = 0; x < size; x++) cost += Math.abs(source[at + x]! - top[x]!);
  }
  return cost;
}

function horizontalCost(source: Uint8Array, { left, size }: Neighbours): number {
  let cost = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) cost += Math.abs(source[y * size + x]! - left[y]!);
  }
  return cost;
}
