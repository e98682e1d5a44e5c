import { CODEC_H264, decodePacket, RESET_VIDEO, type StreamPacket } from '../contract/stream-packets.ts';

/** A connection that is not open by then will hardly be: a network that swallows packets tells nobody. */
const OPEN_TIMEOUT_MS = 10_000;

/** `WebSocket.OPEN`; the class may not be a global one. */
const OPEN = 1;

/** A browser's, Node's own from 22 on, or that of the package `ws`. */
export type WebSocketClass = typeof WebSocket;

export interface StreamHandlers {
  onPacket(packet: StreamPacket): void;
  /** Once, unless `close` was called. `code` is 1006 when the connection was lost or never came to be. */
  onClose(code: number, reason: string): void;
}

/** Cuts the messages of one stream connection into packets: the codec id comes first, and only once. */
export class StreamReader {
  #started = false;

  /**
   * The packet in a message; null for the codec id.
   * @throws RangeError when the message is not what the stream's layout has at this place.
   */
  read(message: ArrayBuffer): StreamPacket | null {
    if (this.#started) return decodePacket(new Uint8Array(message));
    if (message.byteLength !== 4 || new DataView(message).getUint32(0) !== CODEC_H264) {
      throw new RangeError('the stream does not begin with the codec id of H.264');
    }
    this.#started = true;
    return null;
  }
}

/** One connection to a session's screen. It neither reconnects nor buffers. */
export class StreamSocket {
  readonly #socket: WebSocket;
  readonly #reader = new StreamReader();
  readonly #handlers: StreamHandlers;
  readonly #deadline: ReturnType<typeof setTimeout>;
  #done = false;

  constructor(url: string, handlers: StreamHandlers, webSocket: WebSocketClass = globalThis.WebSocket) {
    this.#handlers = handlers;
    this.#socket = new webSocket(url, 'scrcpy.v4');
    this.#socket.binaryType = 'arraybuffer';
    this.#deadline = setTimeout(() => this.#giveUp('the service did not answer in time'), OPEN_TIMEOUT_MS);
    this.#socket.addEventListener('open', () => clearTimeout(this.#deadline));
    this.#socket.addEventListener('message', (event) => this.#read(event.data));
    this.#socket.addEventListener('close', (event) => this.#finish(event.code, event.reason));
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
      if (!(message instanceof ArrayBuffer)) throw new RangeError('a stream message is binary');
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
