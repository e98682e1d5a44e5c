import { WebSocket } from 'ws';
import type { CloseCode } from '../contract/sockets/close-codes.ts';

/** ws closes the socket itself after an error. Without a listener the error would crash the process. */
const ignore = () => {};

/**
 * The WebSockets that a gateway has open. Pings them all, terminates a socket that has not answered the last ping by
 * the next, and closes them all when the gateway stops.
 */
export class OpenSockets {
  /** Whether each socket has answered the last ping. */
  private readonly answered = new Map<WebSocket, boolean>();
  private readonly timer: NodeJS.Timeout;
  /** Shared by all sockets, which a gateway has thousands of. ws calls them with the socket as `this`. */
  private readonly listeners: Record<'pong' | 'close', (this: WebSocket) => void>;

  constructor({ pingMs }: { pingMs: number }) {
    this.timer = setInterval(() => this.ping(), pingMs);
    const { answered } = this;
    this.listeners = {
      pong() {
        if (answered.has(this)) answered.set(this, true);
      },
      close() {
        answered.delete(this);
      },
    };
  }

  get size(): number {
    return this.answered.size;
  }

  add(socket: WebSocket): void {
    this.answered.set(socket, true);
    socket.on('pong', this.listeners.pong);
    socket.on('error', ignore);
    socket.on('close', this.listeners.close);
  }

  /**
   * Closes every socket and resolves when all are closed. Sockets that are still open at the deadline are terminated.
   */
  async closeAll(code: CloseCode, reason: string, deadlineMs: number): Promise<void> {
    clearInterval(this.timer);
    const sockets = [...this.answered.keys()];
    const gone = sockets.map(
      (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const socket of sockets) socket.close(code, reason);
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.terminate();
    }, deadlineMs);
    await Promise.all(gone);
    clearTimeout(timer);
  }

  private ping(): void {
    for (const [socket, answered] of this.answered) {
      if (!answered) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) {
        this.answered.set(socket, false);
        socket.ping();
      }
    }
  }
}
