import type { StreamPacket } from '../../contract/sockets/stream-packets.ts';
import { H264Encoder } from './h264/encoder.ts';
import type { SimulatedDevice } from './simulated-device.ts';
import type { Clock } from './ui/clock.ts';
import { MAX_PACKETS_IN_FLIGHT } from './worker-messages.ts';

const FRAME_MS = 1000 / 60;
/** Keyframes are large, so requests within this time of the last keyframe are combined into one at its end. */
const KEYFRAME_MS = 200;

/**
 * Converts a phone's screen into packets: at most 60 frames a second while it changes, and no work at all while it
 * does not change or the receiver does not keep up.
 */
export class ScreenStream {
  readonly #device: SimulatedDevice;
  readonly #clock: Clock;
  readonly #send: (packet: StreamPacket) => void;
  #encoder: H264Encoder | null = null;
  #size = { width: 0, height: 0 };
  #running = false;
  #announced = false;
  #keyframeWanted = false;
  #inFlight = 0;
  #cancelFrame: (() => void) | null = null;
  #lastFrameAt = Number.NEGATIVE_INFINITY;
  #cancelKeyframe: (() => void) | null = null;
  #lastKeyframeAt = Number.NEGATIVE_INFINITY;

  constructor(device: SimulatedDevice, clock: Clock, send: (packet: StreamPacket) => void) {
    this.#device = device;
    this.#clock = clock;
    this.#send = send;
  }

  /** Starts the stream at once, with the size, the config packet and a keyframe. */
  start(): void {
    this.#running = true;
    this.#announced = false;
    this.#inFlight = 0;
    this.#frame();
  }

  stop(): void {
    this.#running = false;
    this.#cancelFrame?.();
    this.#cancelFrame = null;
    this.#cancelKeyframe?.();
    this.#cancelKeyframe = null;
  }

  requestKeyframe(): void {
    if (!this.#running || this.#cancelKeyframe || this.#keyframeWanted) return;
    const askedAt = this.#clock.now();
    const wait = this.#lastKeyframeAt + KEYFRAME_MS - askedAt;
    this.#cancelKeyframe = this.#clock.after(Math.max(0, wait), () => {
      this.#cancelKeyframe = null;
      // A keyframe was sent in the meantime for another reason.
      if (this.#lastKeyframeAt >= askedAt) return;
      this.#keyframeWanted = true;
      this.schedule();
    });
  }

  /** Called when one of the packets sent has arrived. */
  taken(): void {
    this.#inFlight--;
    if (this.#pending) this.schedule();
  }

  /**
   * Schedules a frame for the earliest time that the frame rate allows. Calling it again before then changes nothing.
   */
  schedule(): void {
    if (!this.#running || this.#cancelFrame || this.#inFlight >= MAX_PACKETS_IN_FLIGHT) return;
    const wait = this.#lastFrameAt + FRAME_MS - this.#clock.now();
    this.#cancelFrame = this.#clock.after(Math.max(0, wait), () => this.#frame());
  }

  get #pending(): boolean {
    return this.#device.screen.damaged || this.#device.animating || this.#keyframeWanted;
  }

  #frame(): void {
    this.#cancelFrame?.();
    this.#lastFrameAt = this.#clock.now();
    // Animations request frames during painting. Those requests are ignored, because the next frame is scheduled
    // below.
    this.#cancelFrame = () => {};
    this.#device.paint();
    const encoder = this.#encoderFor();
    this.#announce(encoder);
    const frame = encoder.encode(this.#device.screen.pixels, { keyframe: this.#keyframeWanted });
    this.#keyframeWanted = false;
    if (frame?.keyframe) this.#lastKeyframeAt = this.#lastFrameAt;
    if (frame)
      this.#post({ type: frame.keyframe ? 'keyframe' : 'delta', pts: this.#pts(), data: frame.data });
    this.#cancelFrame = null;
    if (this.#pending) this.schedule();
  }

  /** Sends the size and the decoder configuration whenever they have changed. */
  #announce(encoder: H264Encoder): void {
    if (this.#announced) return;
    this.#announced = true;
    this.#keyframeWanted = true;
    this.#post({ type: 'session', ...this.#size });
    this.#post({ type: 'config', pts: 0, data: encoder.config.slice() });
  }

  /** Returns an encoder for the current size of the screen. */
  #encoderFor(): H264Encoder {
    const { width, height } = this.#device.screen;
    if (!this.#encoder || width !== this.#size.width || height !== this.#size.height) {
      this.#size = { width, height };
      this.#encoder = new H264Encoder(this.#size);
      this.#announced = false;
    }
    return this.#encoder;
  }

  #pts(): number {
    return Math.round(this.#lastFrameAt * 1000);
  }

  #post(packet: StreamPacket): void {
    this.#inFlight++;
    this.#send(packet);
  }
}
