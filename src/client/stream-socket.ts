import {
  CODEC_H264,
  decodePacket,
  RESET_VIDEO,
  type StreamPacket,
} from '../contract/sockets/stream-packets.ts';
import { OPEN, OPEN_TIMEOUT_MS, reasonOf, type WebSocketClass, type WebSocketLike } from './web-socket.ts';

export interface StreamHandlers {
  onPacket(packet: StreamPacket): void;
  /** Called once, unless `close` was called. `code` is 1006 when the connection was lost or could not be established. */
  onClose(code: number, reason: string): void;
}

/** Splits the messages of one stream connection into packets. The first message is the codec id. */
export class StreamReader {
  #started = false;

  /**
   * Returns the packet in a message, or null for the codec id.
   * @throws RangeError when the message does not match the stream's layout
   */
  read(message: ArrayBuffer): StreamPacket | null {
    if (this.#started) return decodePacket(new Uint8Array(message));
    if (message.byteLength !== 4 || new DataView(message).getUint32(0) !== CODEC_H264) {
      throw new RangeError('the stream does not start with the H.264 codec id');
    }
    this.#started = true;
    return null;
  }
}

/** One connection to a session's screen. It neither reconnects nor buffers. */
export class StreamSocket {
  readonly #socket: WebSocketLike;
  readonly #reader = new StreamReader();
  readonly #handlers: StreamHandlers;
  readonly #deadline: ReturnType<typeof setTimeout>;
  #failure = '';
  #done = false;

  constructor(url: string, handlers: StreamHandlers, webSocket: WebSocketClass = globalThis.WebSocket) {
    this.#handlers = handlers;
    this.#socket = new webSocket(url, 'scrcpy.v4');
    this.#socket.binaryType = 'arraybuffer';
    this.#deadline = setTimeout(() => this.#giveUp('the service did not answer in time'), OPEN_TIMEOUT_MS);
    this.#socket.addEventListener('open', () => clearTimeout(this.#deadline));
    this.#socket.addEventListener('message', (event) => this.#read(event.data));
    // The package `ws` ends the process when an error has no listener. Each error is followed by a `close` event.
    this.#socket.addEventListener('error', (event) => {
      this.#failure = reasonOf(event);
    });
    this.#socket.addEventListener('close', ({ code, reason }) => this.#finish(code, reason || this.#failure));
  }

  requestKeyframe(): void {
    if (!this.#done && this.#socket.readyState === OPEN) this.#socket.send(RESET_VIDEO);
  }

  close(): void {
    this.#done = true;
    clearTimeout(this.#deadline);
    this.#socket.close();
  }

  #read(message: unknown): void {
    if (this.#done) return;
    try {
      if (!(message instanceof ArrayBuffer)) throw new RangeError('stream messages must be binary');
      const packet = this.#reader.read(message);
      if (packet) this.#handlers.onPacket(packet);
    } catch (error) {
      this.#giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  #giveUp(reason: string): void {
    this.#socket.close();
    this.#finish(1006, reason);
  }

  #finish(code: number, reason: string): void {
    if (this.#done) return;
    this.#done = true;
    clearTimeout(this.#deadline);
    this.#handlers.onClose(code, reason);
  }
}
