import type { StreamPacket } from '../contract/sockets/stream-packets.ts';
import { deferred } from './deferred.ts';
import { StreamLink } from './stream-link.ts';
import type { WebSocketClass } from './web-socket.ts';

/** Bounds of a reader's queue: about two groups of pictures of a screen with much motion. */
const MAX_WAITING_PACKETS = 600;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * The packets of a session's screen for one reader. When a reader falls too far behind, its queue is dropped and a
 * new connection starts at a keyframe.
 */
export class FrameFeed {
  readonly #link: StreamLink;
  #waiting: StreamPacket[] = [];
  #waitingBytes = 0;
  #wake = deferred<void>();
  #done = false;

  constructor(url: string, webSocket?: WebSocketClass) {
    const handlers = {
      onPacket: (packet: StreamPacket) => this.#take(packet),
      onEnd: () => this.#finish(),
    };
    this.#link = new StreamLink(url, handlers, webSocket);
  }

  /** Returns the next packet, or null when the session has ended or the feed was closed. */
  async next(): Promise<StreamPacket | null> {
    for (;;) {
      const packet = this.#waiting.shift();
      if (packet) {
        this.#waitingBytes -= sizeOf(packet);
        return packet;
      }
      if (this.#done) return null;
      await this.#wake.promise;
      this.#wake = deferred();
    }
  }

  close(): void {
    this.#finish();
    this.#waiting = [];
  }

  #take(packet: StreamPacket): void {
    this.#waiting.push(packet);
    this.#waitingBytes += sizeOf(packet);
    if (this.#waiting.length > MAX_WAITING_PACKETS || this.#waitingBytes > MAX_WAITING_BYTES)
      this.#startOver();
    this.#wake.resolve();
  }

  #startOver(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#link.restart();
  }

  #finish(): void {
    this.#done = true;
    this.#link.close();
    this.#wake.resolve();
  }
}

const sizeOf = (packet: StreamPacket) => (packet.type === 'session' ? 0 : packet.data.length);
