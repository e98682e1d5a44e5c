import {
  CODEC_H264,
  type MediaPacket,
  PACKET_HEADER_BYTES,
  type StreamPacket,
  writeMediaHeader,
} from '../../../contract/stream-packets.ts';
import { checkedSize, type PictureSize, pictureSize } from './picture-size.ts';

/** Flags in the upper word of a packet's time (scrcpy server/.../device/Streamer.java, 3.3.3). */
const CONFIG = 0x8000_0000;
const KEYFRAME = 0x4000_0000;
const TIME_HIGH_MASK = 0x3fff_ffff;
/** Far beyond a keyframe of the largest screen: more is no video socket. */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;

/**
 * Turns scrcpy's video socket into packets: the codec and size once, then config packets, keyframes and deltas.
 * Each is copied once, out of the chunks it came in, to where the header stands that it travels with from here on. Where
 * the size changes, a session packet goes ahead.
 */
export class VideoReader {
  readonly #emit: (packet: StreamPacket) => void;
  /** The stream's, and then each packet's: both are of 12 bytes. */
  readonly #header = Buffer.alloc(PACKET_HEADER_BYTES);
  #headerFilled = 0;
  #started = false;
  /** The packet whose bytes are coming, with room for its header; null between packets. */
  #whole: Buffer | null = null;
  #filled = 0;
  #size: PictureSize = { width: 0, height: 0 };

  constructor(emit: (packet: StreamPacket) => void) {
    this.#emit = emit;
  }

  /** @throws RangeError when the bytes are no video of scrcpy's: the socket is of no more use. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#whole) at += this.#fill(chunk, at);
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
    this.#whole = Buffer.allocUnsafeSlow(PACKET_HEADER_BYTES + length);
    this.#filled = PACKET_HEADER_BYTES;
    return this.#fill(chunk, at);
  }

  #fill(chunk: Buffer, at: number): number {
    const whole = this.#whole!;
    const copied = chunk.copy(whole, this.#filled, at);
    this.#filled += copied;
    if (this.#filled === whole.length) {
      this.#whole = null;
      this.#packet(whole);
    }
    return copied;
  }

  #readCodecHeader(): void {
    const codec = this.#header.readUInt32BE(0);
    if (codec !== CODEC_H264) throw new RangeError(`the phone sends another codec (${codec.toString(16)})`);
    this.#resize(checkedSize(this.#header.readUInt32BE(4), this.#header.readUInt32BE(8)));
  }

  #packet(encoded: Buffer): void {
    const data = encoded.subarray(PACKET_HEADER_BYTES);
    const high = this.#header.readUInt32BE(0);
    if (high >= CONFIG) {
      this.#resize(pictureSize(data));
      this.#emitMedia({ type: 'config', pts: 0, data, encoded });
      return;
    }
    const pts = (high & TIME_HIGH_MASK) * 2 ** 32 + this.#header.readUInt32BE(4);
    // In the layout that it travels with from here on, the time has one bit less.
    if (!Number.isSafeInteger(pts)) throw new RangeError(`a video packet of the time ${pts}`);
    this.#emitMedia({ type: high & KEYFRAME ? 'keyframe' : 'delta', pts, data, encoded });
  }

  #emitMedia(packet: MediaPacket & { encoded: Buffer }): void {
    writeMediaHeader(packet.encoded, packet);
    this.#emit(packet);
  }

  #resize({ width, height }: PictureSize): void {
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.#emit({ type: 'session', width, height });
  }
}
