import { CODEC_H264, type StreamPacket } from '../../../contract/stream-packets.ts';
import { type PictureSize, pictureSize } from './picture-size.ts';

/** Of each packet; the header of the whole stream is as long. */
const PACKET_HEADER_BYTES = 12;
/** Flags in the upper word of a packet's time (scrcpy server/.../device/Streamer.java, 3.3.3). */
const CONFIG = 0x8000_0000;
const KEYFRAME = 0x4000_0000;
const TIME_HIGH_MASK = 0x3fff_ffff;
/** Far beyond a keyframe of the largest screen: more is no video socket. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;

/**
 * Turns scrcpy's video socket into packets: the codec and size once, then config packets, keyframes and deltas.
 * Packets within one chunk are views of it, not copies; where the size changes, a session packet goes ahead.
 */
export class VideoReader {
  readonly #emit: (packet: StreamPacket) => void;
  readonly #header = Buffer.alloc(PACKET_HEADER_BYTES);
  #headerFilled = 0;
  #started = false;
  /** What has come of a packet that spans chunks; null between packets. */
  #body: Buffer | null = null;
  #bodyFilled = 0;
  #size: PictureSize = { width: 0, height: 0 };

  constructor(emit: (packet: StreamPacket) => void) {
    this.#emit = emit;
  }

  /** @throws RangeError when the bytes are no video of scrcpy's: the socket is of no more use. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#body) at += this.#fillBody(chunk, at);
      else {
        const copied = chunk.copy(this.#header, this.#headerFilled, at);
        this.#headerFilled += copied;
        at += copied;
        if (this.#headerFilled === PACKET_HEADER_BYTES) at += this.#onHeader(chunk, at);
      }
    }
  }

  /** Answers how much of the chunk it took. */
  #onHeader(chunk: Buffer, at: number): number {
    this.#headerFilled = 0;
    if (!this.#started) {
      this.#started = true;
      this.#readCodecHeader();
      return 0;
    }
    const length = this.#header.readUInt32BE(8);
    if (length > MAX_PACKET_BYTES) throw new RangeError(`a video packet of ${length} bytes`);
    if (chunk.length - at >= length) {
      this.#packet(chunk.subarray(at, at + length));
      return length;
    }
    this.#body = Buffer.allocUnsafeSlow(length);
    this.#bodyFilled = 0;
    return 0;
  }

  #fillBody(chunk: Buffer, at: number): number {
    const body = this.#body!;
    const copied = chunk.copy(body, this.#bodyFilled, at);
    this.#bodyFilled += copied;
    if (this.#bodyFilled === body.length) {
      this.#body = null;
      this.#packet(body);
    }
    return copied;
  }

  #readCodecHeader(): void {
    const codec = this.#header.readUInt32BE(0);
    if (codec !== CODEC_H264) throw new RangeError(`the phone sends another codec (${codec.toString(16)})`);
    this.#resize({ width: this.#header.readUInt32BE(4), height: this.#header.readUInt32BE(8) });
  }

  #packet(data: Buffer): void {
    const high = this.#header.readUInt32BE(0);
    if (high >= CONFIG) {
      this.#resize(pictureSize(data));
      this.#emit({ type: 'config', pts: 0, data });
      return;
    }
    const pts = (high & TIME_HIGH_MASK) * 2 ** 32 + this.#header.readUInt32BE(4);
    this.#emit({ type: high & KEYFRAME ? 'keyframe' : 'delta', pts, data });
  }

  #resize({ width, height }: PictureSize): void {
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.#emit({ type: 'session', width, height });
  }
}
