import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Log } from '../util/log.ts';
import { LINK_EARLY_MESSAGES, type Link, type LinkHello, type LinkMessage } from './link.ts';

/** Detection of a dead peer, because a host that loses power sends no FIN. */
export interface Keepalive {
  pingMs: number;
  /** The peer counts as dead after this many pings in a row without receiving a byte. */
  silentPings: number;
}

export const KEEPALIVE: Keepalive = { pingMs: 2000, silentPings: 3 };

/** Maximum message size, for a screenshot (PNG in base64) or a keyframe. A larger message closes the link. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Maximum bytes that may arrive before there is a listener, in addition to the limit on their number. */
const MAX_EARLY_BYTES = 16 * 1024 * 1024;
/** Timeout of the closing handshake, including the transfer of messages that were sent before. */
const CLOSE_TIMEOUT_MS = 2000;

/** `ws` options of both ends. Video does not compress, and trying costs more than sending it uncompressed. */
export const SOCKET_OPTIONS = {
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  closeTimeout: CLOSE_TIMEOUT_MS,
} as const;

export interface WebSocketLinkOptions {
  hello: LinkHello;
  keepalive: Keepalive;
  log: Log;
}

/** One end of a link over an open WebSocket, which it owns. */
export class WebSocketLink implements Link {
  readonly hello: LinkHello;
  bufferedBytes = 0;
  closed = false;
  private readonly socket: WebSocket;
  private readonly transport: Pick<Socket, 'bytesRead'>;
  private readonly options: WebSocketLinkOptions;
  private readonly pings: NodeJS.Timeout;
  private bytesReceived = 0;
  private silentPings = 0;
  /** Messages that arrived before there was a listener; null once there is one. */
  private early: LinkMessage[] | null = [];
  private earlyBytes = 0;
  private messageListener: (message: LinkMessage) => void = () => {};
  private drainListener: () => void = () => {};
  private closeListener: (() => void) | null = null;

  /**
   * `transport` is the connection under the WebSocket. Must be called in the turn of the event loop in which the
   * socket opened.
   */
  constructor(socket: WebSocket, transport: Pick<Socket, 'bytesRead'>, options: WebSocketLinkOptions) {
    this.socket = socket;
    this.transport = transport;
    this.options = options;
    this.hello = options.hello;
    this.pings = setInterval(() => this.ping(), options.keepalive.pingMs);
    socket.on('message', (data: Buffer, isBinary) => this.receive(isBinary ? data : data.toString()));
    socket.on('close', () => this.end());
    socket.on('error', (error) => this.note(error.message));
  }

  send(message: LinkMessage): void {
    if (this.closed || this.socket.readyState !== WebSocket.OPEN) return;
    const size = typeof message === 'string' ? Buffer.byteLength(message) : message.byteLength;
    this.bufferedBytes += size;
    this.socket.send(message, () => this.sent(size));
  }

  onMessage(listener: (message: LinkMessage) => void): void {
    this.messageListener = listener;
    const early = this.early ?? [];
    this.early = null;
    for (const message of early) listener(message);
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.closeListener = listener;
  }

  onDrain(listener: () => void): void {
    this.drainListener = listener;
  }

  /** Messages that were sent before are still delivered, if that takes no longer than 2 s. */
  close(): void {
    this.socket.close(1000);
    this.end();
  }

  private sent(size: number): void {
    this.bufferedBytes -= size;
    if (this.bufferedBytes === 0 && !this.closed) this.drainListener();
  }

  private receive(message: LinkMessage): void {
    if (this.closed) return;
    if (!this.early) {
      this.messageListener(message);
      return;
    }
    this.early.push(message);
    this.earlyBytes += message.length;
    if (this.early.length <= LINK_EARLY_MESSAGES && this.earlyBytes <= MAX_EARLY_BYTES) return;
    this.note('the link has no receiver');
    this.early = [];
    this.close();
  }

  /**
   * A slow peer is not dead: any byte that it sends, as part of a ping or of a large message, shows that it is alive.
   * Pings are counted rather than time, so that a process that was itself paused reads what has arrived before it
   * decides.
   */
  private ping(): void {
    const { bytesRead } = this.transport;
    this.silentPings = bytesRead === this.bytesReceived ? this.silentPings + 1 : 0;
    this.bytesReceived = bytesRead;
    if (this.silentPings >= this.options.keepalive.silentPings) {
      this.note('the other end stopped responding');
      this.socket.terminate();
      this.end();
    } else if (this.bufferedBytes === 0) {
      // While data is waiting to be sent, it has the same effect as a ping, which would only queue behind it
      this.socket.ping();
    }
  }

  private note(problem: string): void {
    const { hello, log } = this.options;
    log.info({ sessionId: hello.sessionId, purpose: hello.purpose, problem }, 'link failed');
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.pings);
    this.closeListener?.();
  }
}
