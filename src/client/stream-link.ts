import type { StreamPacket } from '../contract/sockets/stream-packets.ts';
import { afterClose, Backoff } from './reconnect.ts';
import { StreamSocket } from './stream-socket.ts';
import type { WebSocketClass } from './web-socket.ts';

export interface StreamLinkHandlers {
  onPacket(packet: StreamPacket): void;
  /**
   * Called when the connection was lost. The next connection starts with the size, the config packet and a keyframe.
   */
  onGap?(): void;
  /** Called once when the session has ended, unless `close` was called before. */
  onEnd?(): void;
}

/** Receives a session's screen while the session lives. It reconnects, and each connection begins with a keyframe. */
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

  /** Requests a keyframe. The gateway accepts about one request per second. */
  requestKeyframe(): void {
    this.#socket?.requestKeyframe();
  }

  /** Opens a new connection, for a reader that has fallen behind on the current one. */
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
