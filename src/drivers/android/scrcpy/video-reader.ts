import {
  CODEC_H264,
  type MediaPacket,
  PACKET_HEADER_BYTES,
  type StreamPacket,
  writeMediaHeader,
} from '../../../contract/sockets/stream-packets.ts';
import { allocatePacket } from '../../../media/viewer-message.ts';
import { checkedSize, type VideoSize, videoSize } from './video-size.ts';

/** Flags in the upper word of a packet's time (scrcpy server/.../device/Streamer.java, 3.3.3). */
const CONFIG = 0x8000_0000;
const KEYFRAME = 0x4000_0000;
const TIME_HIGH_MASK = 0x3fff_ffff;
/**
 * Far larger than a keyframe of the largest screen. A longer packet means that the data is not a scrcpy video stream.
 */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;

/**
 * Converts scrcpy's video socket into packets: the codec and size once, then config packets, keyframes and deltas.
 * Each packet is copied once, from the received chunks into a buffer with room for the header under which it is
 * forwarded. A change of size is preceded by a session packet.
 */
export class VideoReader {
  readonly #emit: (packet: StreamPacket) => void;
  /** The stream's header, and then each packet's. Both have 12 bytes. */
  readonly #header = Buffer.alloc(PACKET_HEADER_BYTES);
  #headerFilled = 0;
  #started = false;
  /** The packet that is being received, with room for its header; null between packets. */
  #whole: Buffer | null = null;
  #filled = 0;
  #size: VideoSize = { width: 0, height: 0 };

  constructor(emit: (packet: StreamPacket) => void) {
    this.#emit = emit;
  }

  /** @throws RangeError when the bytes are not a scrcpy video stream. The socket cannot be used any more. */
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

  /** Returns how many bytes of the chunk it consumed. */
  #onHeader(chunk: Buffer, at: number): number {
    this.#headerFilled = 0;
    if (!this.#started) {
      this.#started = true;
      this.#readCodecHeader();
      return 0;
    }
    const length = this.#header.readUInt32BE(8);
    if (length > MAX_PACKET_BYTES)
      throw new RangeError(`a video packet declares ${length} bytes, which exceeds the limit`);
    this.#whole = allocatePacket(PACKET_HEADER_BYTES + length);
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
    if (codec !== CODEC_H264)
      throw new RangeError(`the phone sends an unexpected codec (${codec.toString(16)})`);
    this.#resize(checkedSize(this.#header.readUInt32BE(4), this.#header.readUInt32BE(8)));
  }

  #packet(encoded: Buffer): void {
    const data = encoded.subarray(PACKET_HEADER_BYTES);
    const high = this.#header.readUInt32BE(0);
    if (high >= CONFIG) {
      this.#resize(videoSize(data));
      this.#emitMedia({ type: 'config', pts: 0, data, encoded });
      return;
    }
    const pts = (high & TIME_HIGH_MASK) * 2 ** 32 + this.#header.readUInt32BE(4);
    // In the layout in which packets are forwarded, the time has one bit less.
    if (!Number.isSafeInteger(pts)) throw new RangeError(`a video packet has the invalid timestamp ${pts}`);
    this.#emitMedia({ type: high & KEYFRAME ? 'keyframe' : 'delta', pts, data, encoded });
  }

  #emitMedia(packet: MediaPacket & { encoded: Buffer }): void {
    writeMediaHeader(packet.encoded, packet);
    this.#emit(packet);
  }

  #resize({ width, height }: VideoSize): void {
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.#emit({ type: 'session', width, height });
  }
}
