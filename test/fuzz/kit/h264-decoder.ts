import loadDecoder, { type TinyH264 } from 'tinyh264/es/TinyH264.js';

const MAX_UNIT_BYTES = 1024 * 1024;
/** Return values from h264bsd_decoder.h. */
const READY = 0;
const FRAME_READY = 1;
const HEADERS_READY = 2;

/** Planar I420 samples, padded to whole macroblocks. */
export interface DecodedFrame {
  width: number;
  height: number;
  samples: Uint8Array;
}

/** An independent decoder in this process. Its output is what a browser would display. */
export class H264Decoder implements Disposable {
  readonly #module: TinyH264;
  readonly #memory: number;
  #decoder: number;

  private constructor(module: TinyH264) {
    this.#module = module;
    this.#memory = module._malloc(MAX_UNIT_BYTES + 12);
    this.#decoder = module._h264bsdAlloc();
    module._h264bsdInit(this.#decoder, 0);
  }

  static async load(): Promise<H264Decoder> {
    // The module assumes that it runs in a browser's worker and reads the worker's URL.
    Object.assign(globalThis, { self: { location: { href: '' } } });
    return new H264Decoder(await loadDecoder());
  }

  /** Prepares for a new stream. */
  reset(): void {
    this[Symbol.dispose]();
    this.#decoder = this.#module._h264bsdAlloc();
    this.#module._h264bsdInit(this.#decoder, 0);
  }

  /**
   * Decodes the frame of one access unit.
   * @throws Error if the decoder reports an error or outputs no frame
   */
  decode(unit: Uint8Array): DecodedFrame {
    const { HEAPU8: heap } = this.#module;
    const [frame, width, height] = [0, 4, 8].map((offset) => this.#memory + MAX_UNIT_BYTES + offset);
    heap.set(unit, this.#memory);
    let answer: number;
    do {
      const { length } = unit;
      answer = this.#module._h264bsdDecode(this.#decoder, this.#memory, length, frame!, width!, height!);
    } while (answer === HEADERS_READY);
    if (answer !== FRAME_READY)
      throw new Error(answer === READY ? 'the decoder produced no frame' : `the decoder answered ${answer}`);
    const size = {
      width: this.#module.getValue(width!, 'i32'),
      height: this.#module.getValue(height!, 'i32'),
    };
    const at = this.#module.getValue(frame!, 'i32');
    return { ...size, samples: this.#module.HEAPU8.slice(at, at + (size.width * size.height * 3) / 2) };
  }

  [Symbol.dispose](): void {
    this.#module._h264bsdShutdown(this.#decoder);
    this.#module._h264bsdFree(this.#decoder);
  }
}
