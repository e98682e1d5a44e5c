import {
  CODEC_H264,
  encodePacket,
  PACKET_HEADER_BYTES,
  writeMediaHeader,
} from '../../../contract/sockets/stream-packets.ts';
import { checkedSize, type VideoSize } from '../../../media/video-size.ts';
import { allocatePacket } from '../../../media/viewer-message.ts';
import { videoSize } from './video-size.ts';

/** Flags in the upper word of a packet's time (scrcpy server/.../device/Streamer.java, 3.3.3). */
const CONFIG = 0x8000_0000;
const KEYFRAME = 0x4000_0000;
const TIME_HIGH_MASK = 0x3fff_ffff;
/**
 * Far larger than a keyframe of the largest screen. A longer packet means that the data is not a scrcpy video stream.
 */
const MAX_PACKET_BYTES = 16 * 1024 * 1024;
/** Far larger than the parameter sets of any encoder. The size of the video is read from them bit by bit. */
const MAX_CONFIG_BYTES = 64 * 1024;

/**
 * Converts scrcpy's video socket into packets in layout v4: the size once, then config packets, keyframes and deltas.
 * Each packet is copied once, from the received chunks into a separate buffer. A change of size is preceded by a session
 * packet.
 */
export class VideoReader {
  readonly #emit: (packet: Uint8Array) => void;
  /** The stream's header, and then each packet's. Both have 12 bytes. */
  readonly #header = Buffer.alloc(PACKET_HEADER_BYTES);
  #headerFilled = 0;
  #started = false;
  /** The packet that is being received; null between packets. */
  #packet: Buffer | null = null;
  #filled = 0;
  #isConfig = false;
  #size: VideoSize = { width: 0, height: 0 };

  constructor(emit: (packet: Uint8Array) => void) {
    this.#emit = emit;
  }

  /** @throws RangeError when the bytes are not a scrcpy video stream. The socket cannot be used any more. */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#packet) at += this.#fill(chunk, at);
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
    this.#packet = this.#allocate();
    this.#filled = PACKET_HEADER_BYTES;
    return this.#fill(chunk, at);
  }

  /** Returns memory for the packet with its header in layout v4. */
  #allocate(): Buffer {
    const length = this.#header.readUInt32BE(8);
    const high = this.#header.readUInt32BE(0);
    this.#isConfig = high >= CONFIG;
    if (length > (this.#isConfig ? MAX_CONFIG_BYTES : MAX_PACKET_BYTES))
      throw new RangeError(`a video packet declares ${length} bytes, which exceeds the limit`);
    const packet = allocatePacket(PACKET_HEADER_BYTES + length);
    if (this.#isConfig) {
      writeMediaHeader(packet, { type: 'config', pts: 0 });
      return packet;
    }
    const pts = (high & TIME_HIGH_MASK) * 2 ** 32 + this.#header.readUInt32BE(4);
    // In the layout in which packets are forwarded, the time has one bit less.
    if (!Number.isSafeInteger(pts)) throw new RangeError(`a video packet has the invalid timestamp ${pts}`);
    writeMediaHeader(packet, { type: high & KEYFRAME ? 'keyframe' : 'delta', pts });
    return packet;
  }

  #fill(chunk: Buffer, at: number): number {
    const packet = this.#packet!;
    const copied = chunk.copy(packet, this.#filled, at);
    this.#filled += copied;
    if (this.#filled === packet.length) {
      this.#packet = null;
      if (this.#isConfig) this.#resize(videoSize(packet.subarray(PACKET_HEADER_BYTES)));
      this.#emit(packet);
    }
    return copied;
  }

  #readCodecHeader(): void {
    const codec = this.#header.readUInt32BE(0);
    if (codec !== CODEC_H264)
      throw new RangeError(`the phone sends an unexpected codec (${codec.toString(16)})`);
    const [width, height] = [this.#header.readUInt32BE(4), this.#header.readUInt32BE(8)];
    this.#resize(checkedSize({ width, height }));
  }

  #resize({ width, height }: VideoSize): void {
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.#emit(encodePacket({ type: 'session', width, height }));
  }
}
