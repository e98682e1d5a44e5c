import { changedRows } from './changed-rows.ts';
import { levelFor } from './level.ts';
import { annexBNalUnit, NAL_IDR_SLICE, NAL_SLICE } from './nal-unit.ts';
import {
  FRAME_NUM_BITS,
  pictureParameterSet,
  type StreamFormat,
  sequenceParameterSet,
} from './parameter-sets.ts';
import { PictureEncoder } from './picture-encoder.ts';
import { ScrollDetector } from './scroll-detector.ts';

/** Below this QP, the banding of flat gradients and the noise around glyphs are no longer visible. */
const DEFAULT_QP = 24;
const MAX_QP = 51;

export interface EncodedFrame {
  /** Annex B access unit that contains only slices (no SPS or PPS). */
  readonly data: Uint8Array;
  readonly keyframe: boolean;
}

export interface H264EncoderOptions {
  /** In pixels; even. */
  readonly width: number;
  readonly height: number;
  /** Quantisation parameter, 0 (finest) to 51. */
  readonly qp?: number;
}

/**
 * H.264 Constrained Baseline encoder for screens: content that has not changed, or has only scrolled, is copied from
 * the previous frame. Each frame is one slice and depends on the previous one, so after a dropped frame the stream
 * must resume at a keyframe.
 */
export class H264Encoder {
  /** SPS and PPS in Annex B format, which form the config packet of scrcpy's stream. */
  readonly config: Uint8Array;
  readonly #format: StreamFormat;
  readonly #pictures: PictureEncoder;
  readonly #scroll: ScrollDetector;
  readonly #previous: Int32Array;
  #started = false;
  #frameNum = 0;
  #idrPicId = 0;

  constructor(options: H264EncoderOptions) {
    const format = streamFormat(options);
    this.#format = format;
    this.config = concatenate(sequenceParameterSet(format), pictureParameterSet(format));
    this.#pictures = new PictureEncoder(format);
    this.#scroll = new ScrollDetector(format.width, format.height, format.level.maxVerticalMotion);
    this.#previous = new Int32Array(format.width * format.height);
  }

  /**
   * Encodes `width * height * 4` bytes of RGBA; alpha is ignored. Returns null when nothing changed since the last
   * frame and no keyframe is requested. The first frame is a keyframe. The caller owns the returned data.
   */
  encode(rgba: Uint8Array, options: { readonly keyframe?: boolean } = {}): EncodedFrame | null {
    const { width, height } = this.#format;
    if (rgba.length !== width * height * 4) {
      throw new RangeError(`rgba: expected ${width * height * 4} bytes, got ${rgba.length}`);
    }
    const words = toWords(rgba);
    const keyframe = !this.#started || options.keyframe === true;
    const changed = this.#started
      ? changedRows(this.#previous, words, width)
      : { first: 0, last: height - 1 };
    if (changed === null && !keyframe) return null;
    if (changed !== null) this.#scroll.update(words, changed);
    const scroll = keyframe || changed === null ? 0 : this.#scroll.detect(changed);
    const data = keyframe ? this.#encodeIdr(words) : this.#encodePredicted(words, scroll);
    if (changed !== null) {
      const start = changed.first * width;
      const end = (changed.last + 1) * width;
      this.#previous.set(words.subarray(start, end), start);
    }
    this.#started = true;
    return { data, keyframe };
  }

  /** What a decoder shows after the last frame, as planar I420. Tests compare the two. */
  reconstruction(): Uint8Array {
    return this.#pictures.reconstruction.cropped(this.#format.width, this.#format.height);
  }

  #encodeIdr(words: Int32Array): Uint8Array {
    this.#frameNum = 0;
    // Two consecutive IDR pictures must have different values (clause 7.4.3).
    this.#idrPicId ^= 1;
    const header = { idr: true, frameNum: 0, idrPicId: this.#idrPicId };
    return annexBNalUnit(NAL_IDR_SLICE, this.#pictures.encodeIdr(header, words));
  }

  #encodePredicted(words: Int32Array, scroll: number): Uint8Array {
    this.#frameNum = (this.#frameNum + 1) % 2 ** FRAME_NUM_BITS;
    const header = { idr: false, frameNum: this.#frameNum, idrPicId: 0 };
    const change = { before: this.#previous, after: words, scroll };
    return annexBNalUnit(NAL_SLICE, this.#pictures.encodePredicted(header, change));
  }
}

function streamFormat({ width, height, qp = DEFAULT_QP }: H264EncoderOptions): StreamFormat {
  for (const [field, size] of [
    ['width', width],
    ['height', height],
  ] as const) {
    if (!Number.isInteger(size) || size < 2 || size % 2 !== 0) {
      throw new RangeError(`${field}: must be an even number of pixels, got ${size}`);
    }
  }
  if (!Number.isInteger(qp) || qp < 0 || qp > MAX_QP) {
    throw new RangeError(`qp: must be an integer from 0 to ${MAX_QP}, got ${qp}`);
  }
  const widthInMacroblocks = Math.ceil(width / 16);
  const heightInMacroblocks = Math.ceil(height / 16);
  const level = levelFor(widthInMacroblocks, heightInMacroblocks);
  if (level === undefined) {
    throw new RangeError(`width, height: ${width}x${height} is more than any level of H.264 carries`);
  }
  return { width, height, widthInMacroblocks, heightInMacroblocks, level, qp };
}

/** RGBA as one word per pixel, copied only if it is not aligned. */
function toWords(rgba: Uint8Array): Int32Array {
  const aligned = rgba.byteOffset % 4 === 0 ? rgba : new Uint8Array(rgba);
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
