import type { StreamPacket } from '../contract/stream-packets.ts';
import { afterClose, Backoff } from './reconnect.ts';
import { StreamSocket } from './stream-socket.ts';
import type { WebSocketClass } from './web-socket.ts';

export interface StreamLinkHandlers {
  onPacket(packet: StreamPacket): void;
  /** The connection was lost: what follows begins anew, with size, config and a keyframe. */
  onGap?(): void;
  /** Once, when the session is over. Not after `close`. */
  onEnd?(): void;
}

/** A session's screen for as long as the session lives: it reconnects, and begins with a keyframe each time. */
export class StreamLink {
  readonly #url: string;
  readonly #handlers: StreamLinkHandlers;
  readonly #webSocket: WebSocketClass | undefined;
  readonly #backoff = new Backoff();
  #socket: StreamSocket | null = null;
  #openedAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #done = false;

  constructor(url: string, handlers: StreamLinkHandlers, webSocket?: WebSocketClass) {
    this.#url = url;
    this.#handlers = handlers;
    this.#webSocket = webSocket;
    this.#connect();
  }

  /** Asks for a keyframe; heard about once a second. */
  requestKeyframe(): void {
    this.#socket?.requestKeyframe();
  }

  /** A new connection, for who fell behind on this one. */
  restart(): void {
    clearTimeout(this.#retry);
    this.#socket?.close();
    this.#connect();
  }

  close(): void {
    this.#done = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connect(): void {
    if (this.#done) return;
    this.#openedAt = performance.now();
    const handlers = {
      onPacket: (packet: StreamPacket) => this.#handlers.onPacket(packet),
      onClose: (code: number) => this.#closed(code),
    };
    this.#socket = new StreamSocket(this.#url, handlers, this.#webSocket);
  }

  #closed(code: number): void {
    if (afterClose(code) !== 'reconnect') {
      this.close();
      this.#handlers.onEnd?.();
      return;
    }
    this.#handlers.onGap?.();
    const wait = this.#backoff.next(performance.now() - this.#openedAt);
    this.#retry = setTimeout(() => this.#connect(), wait);
  }
}
