import type { StreamPacket } from '../contract/stream-packets.ts';
import { afterClose, Backoff } from './reconnect.ts';
import { StreamSocket, type WebSocketClass } from './stream-socket.ts';

/** What a reader may be behind: two groups of a busy screen. */
const MAX_WAITING_PACKETS = 600;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * A session's screen for one reader, for as long as the session lives: it reconnects, and begins with size, config and
 * keyframe each time. A reader that falls too far behind loses what waits, and goes on at a keyframe.
 */
export class FrameFeed {
  readonly #url: string;
  readonly #webSocket: WebSocketClass | undefined;
  readonly #backoff = new Backoff();
  #waiting: StreamPacket[] = [];
  #waitingBytes = 0;
  #wake = Promise.withResolvers<void>();
  #socket: StreamSocket | null = null;
  #openedAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #done = false;

  constructor(url: string, webSocket?: WebSocketClass) {
    this.#url = url;
    this.#webSocket = webSocket;
    this.#connect();
  }

  /** The next packet; null when the session has ended, or the feed was closed. */
  async next(): Promise<StreamPacket | null> {
    for (;;) {
      const packet = this.#waiting.shift();
      if (packet) {
        this.#waitingBytes -= sizeOf(packet);
        return packet;
      }
      if (this.#done) return null;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  close(): void {
    this.#finish();
    this.#waiting = [];
  }

  #connect(): void {
    if (this.#done) return;
    this.#openedAt = performance.now();
    this.#socket = new StreamSocket(
      this.#url,
      { onPacket: (packet) => this.#take(packet), onClose: (code) => this.#closed(code) },
      this.#webSocket,
    );
  }

  #take(packet: StreamPacket): void {
    this.#waiting.push(packet);
    this.#waitingBytes += sizeOf(packet);
    if (this.#waiting.length > MAX_WAITING_PACKETS || this.#waitingBytes > MAX_WAITING_BYTES)
      this.#startOver();
    this.#wake.resolve();
  }

  /** A new connection begins at a keyframe. */
  #startOver(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#socket?.close();
    this.#connect();
  }

  #closed(code: number): void {
    if (afterClose(code) === 'reconnect') {
      const wait = this.#backoff.next(performance.now() - this.#openedAt);
      this.#retry = setTimeout(() => this.#connect(), wait);
    } else {
      this.#finish();
    }
  }

  #finish(): void {
    this.#done = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
    this.#wake.resolve();
  }
}

const sizeOf = (packet: StreamPacket) => (packet.type === 'session' ? 0 : packet.data.length);
