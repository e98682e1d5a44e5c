import { TinyH264Decoder } from '@yume-chan/scrcpy-decoder-tinyh264';
import type { MediaPacket } from '../../../contract/sockets/stream-packets.ts';
import type { DecoderEvents, StreamDecoder } from './stream-decoder.ts';

/**
 * Maximum number of frames that were passed to the worker but not drawn. A machine that falls behind further
 * restarts at a keyframe.
 */
const MOST_IN_WORKER = 600;
/**
 * Maximum time to the first frame, because a worker that fails to start reports no error. Slow machines need
 * seconds.
 */
const FIRST_FRAME_MS = 15_000;

/** Decodes in a worker, for pages without WebCodecs. It is slower, and supports only the Baseline profile. */
export class SoftwareDecoder implements StreamDecoder {
  readonly #events: DecoderEvents;
  readonly #decoder: TinyH264Decoder;
  readonly #writer: ReturnType<TinyH264Decoder['writable']['getWriter']>;
  #fed = 0;
  #firstFedAt = 0;
  #drawn = 0;
  #poll = 0;
  #done = false;

  constructor(canvas: HTMLCanvasElement, events: DecoderEvents) {
    this.#events = events;
    this.#decoder = new TinyH264Decoder({ canvas });
    this.#writer = this.#decoder.writable.getWriter();
    this.#watch();
  }

  get waiting(): number {
    return Math.max(0, this.#fed - this.#decoder.framesRendered);
  }

  /** Always 0, because the worker draws every frame. */
  get droppedGroups(): number {
    return 0;
  }

  push(packet: MediaPacket): void {
    if (this.#done) return;
    if (packet.type !== 'config') this.#fed += 1;
    if (this.#fed === 1) this.#firstFedAt = performance.now();
    if (this.#fed - this.#decoder.framesRendered > MOST_IN_WORKER) {
      this.#fail(new Error('the decoder cannot follow the stream'));
      return;
    }
    const { data } = packet;
    const keyframe = packet.type === 'keyframe';
    this.#writer
      .write(packet.type === 'config' ? { type: 'configuration', data } : { type: 'data', keyframe, data })
      .catch((error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))));
  }

  /** No-op, because the canvas keeps the size of the video and the browser scales it. */
  resize(): void {}

  dispose(): void {
    this.#done = true;
    cancelAnimationFrame(this.#poll);
    this.#decoder.dispose();
  }

  /** Polls the decoder's counter of drawn frames, because the decoder has no event for them. */
  #watch(): void {
    this.#poll = requestAnimationFrame(() => {
      if (this.#done) return;
      const { framesRendered, width, height } = this.#decoder;
      if (framesRendered > this.#drawn) {
        this.#drawn = framesRendered;
        this.#events.onFrame({ width, height });
      } else if (
        this.#drawn === 0 &&
        this.#fed > 0 &&
        performance.now() - this.#firstFedAt > FIRST_FRAME_MS
      ) {
        this.#fail(new Error('the decoder shows nothing'));
      }
      this.#watch();
    });
  }

  #fail(error: Error): void {
    if (this.#done) return;
    this.#done = true;
    this.#events.onFailure(error);
  }
}
