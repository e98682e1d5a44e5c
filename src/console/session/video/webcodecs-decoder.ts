import { avcCodecString, withConfig } from '../../../contract/sockets/h264-config.ts';
import type { MediaPacket } from '../../../contract/sockets/stream-packets.ts';
import { PacketQueue } from './packet-queue.ts';
import type { DecoderEvents, StreamDecoder } from './stream-decoder.ts';

/**
 * Maximum number of frames inside the decoder. The others wait in the packet queue, where a keyframe can still
 * replace them.
 */
const MOST_IN_DECODER = 3;

/**
 * Decodes with the browser's decoder and draws at the size of the canvas in display pixels, at most once per display
 * frame. It uses WebCodecs directly, because existing renderers have no queue that a keyframe clears, and do not
 * redraw the frame when the canvas is resized.
 */
export class WebCodecsDecoder implements StreamDecoder {
  readonly #canvas: HTMLCanvasElement;
  readonly #events: DecoderEvents;
  readonly #decoder: VideoDecoder;
  readonly #queue = new PacketQueue();
  #config: Uint8Array | null = null;
  #size: { width: number; height: number } | null = null;
  #frame: VideoFrame | null = null;
  #drawRequest = 0;
  #done = false;

  constructor(canvas: HTMLCanvasElement, events: DecoderEvents) {
    this.#canvas = canvas;
    this.#events = events;
    this.#decoder = new VideoDecoder({
      output: (frame) => this.#show(frame),
      error: (error) => this.#fail(error),
    });
    this.#decoder.ondequeue = () => this.#feed();
  }

  get waiting(): number {
    const inDecoder = this.#decoder.state === 'configured' ? this.#decoder.decodeQueueSize : 0;
    return this.#queue.length + inDecoder;
  }

  get droppedGroups(): number {
    return this.#queue.droppedGroups;
  }

  push(packet: MediaPacket): void {
    if (this.#done) return;
    if (this.#queue.push(packet)) this.#feed();
    else this.#fail(new Error('the decoder cannot follow the stream'));
  }

  resize(size: { width: number; height: number }): void {
    this.#size = size;
    // An unchanging screen sends no new frame.
    this.#paint();
  }

  dispose(): void {
    this.#done = true;
    cancelAnimationFrame(this.#drawRequest);
    this.#queue.clear();
    this.#frame?.close();
    this.#frame = null;
    if (this.#decoder.state !== 'closed') this.#decoder.close();
  }

  #feed(): void {
    while (!this.#done && this.#decoder.decodeQueueSize < MOST_IN_DECODER) {
      const packet = this.#queue.shift();
      if (!packet) return;
      try {
        this.#decode(packet);
      } catch (error) {
        this.#fail(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #decode(packet: MediaPacket): void {
    if (packet.type === 'config') {
      // Sets no description, because the stream is in Annex B format and the next keyframe contains the parameter
      // sets (AVC (H.264) WebCodecs Registration, section 4).
      this.#decoder.configure({ codec: avcCodecString(packet.data), optimizeForLatency: true });
      this.#config = packet.data;
      return;
    }
    if (this.#decoder.state !== 'configured')
      throw new Error('the stream does not begin with a config packet');
    const isKey = packet.type === 'keyframe';
    const data = isKey && this.#config ? withConfig(this.#config, packet.data) : packet.data;
    this.#decoder.decode(
      new EncodedVideoChunk({
        type: isKey ? 'key' : 'delta',
        timestamp: packet.pts,
        data: data as Uint8Array<ArrayBuffer>,
      }),
    );
  }

  #show(frame: VideoFrame): void {
    this.#frame?.close();
    this.#frame = this.#done ? null : frame;
    if (this.#done) frame.close();
    else if (this.#drawRequest === 0) this.#drawRequest = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#drawRequest = 0;
    this.#paint();
    const frame = this.#frame;
    if (frame) this.#events.onFrame({ width: frame.displayWidth, height: frame.displayHeight });
  }

  #paint(): void {
    if (!this.#frame) return;
    // Setting the size clears the canvas, so the last frame of an earlier connection stays until there is a new one.
    const { width, height } = this.#size ?? this.#canvas;
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    // Gets the context only when there is a frame, because a canvas with this context can no longer be used by
    // another decoder.
    const context = this.#canvas.getContext('2d', { alpha: false });
    if (!context) return;
    context.imageSmoothingQuality = 'high';
    context.drawImage(this.#frame, 0, 0, this.#canvas.width, this.#canvas.height);
  }

  #fail(error: Error): void {
    if (this.#done) return;
    this.#done = true;
    this.#queue.clear();
    this.#events.onFailure(error);
  }
}
