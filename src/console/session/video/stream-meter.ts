import { Rate } from './rate.ts';
import { TouchLatency, type TouchLatencyReading } from './touch-latency.ts';

export interface StreamReading {
  /** Frames per second, drawn and received. Both are zero for an unchanging screen. */
  drawnFps: number;
  receivedFps: number;
  bitsPerSecond: number;
  touch: TouchLatencyReading;
}

/** Current measurements of a stream. They cost a few additions per frame, whether or not they are displayed. */
export class StreamMeter {
  readonly #bytes = new Rate();
  readonly #received = new Rate();
  readonly #drawn = new Rate();
  readonly #touch = new TouchLatency();

  received(bytes: number, isFrame: boolean): void {
    const now = performance.now();
    this.#bytes.add(bytes, now);
    if (isFrame) this.#received.add(1, now);
  }

  drawn(): void {
    const now = performance.now();
    this.#drawn.add(1, now);
    this.#touch.drawn(now);
  }

  touched(action: 'down' | 'move' | 'up' | 'cancel'): void {
    if (action === 'down' || action === 'up') this.#touch.touched(action, performance.now());
  }

  read(): StreamReading {
    const now = performance.now();
    return {
      drawnFps: this.#drawn.perSecond(now),
      receivedFps: this.#received.perSecond(now),
      bitsPerSecond: this.#bytes.perSecond(now) * 8,
      touch: this.#touch.read(),
    };
  }
}
