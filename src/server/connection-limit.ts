import type { Server, Socket } from 'node:net';
import { networkOf } from '../util/network-of.ts';
import { plainAddress } from '../util/plain-address.ts';

/** Minimum interval between reports of closed connections. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Limits the number of connections that one address has open to this process's ports. A connection above the limit is
 * closed before any byte of it is read: such a client is exhausting the process's capacity, and has sent no request
 * that could be answered.
 */
export class ConnectionLimit {
  /** Number of connections closed so far. */
  refused = 0;
  private readonly limit: number;
  private readonly isShared: (address: string) => boolean;
  private readonly onRefused: (address: string) => void;
  private readonly open = new Map<string, number>();
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    limit: number;
    /** Whether many clients may share this address, so that it has no limit. */
    isShared: (address: string) => boolean;
    /** Called at most once a minute. */
    onRefused: (address: string) => void;
  }) {
    this.limit = options.limit;
    this.isShared = options.isShared;
    this.onRefused = options.onRefused;
  }

  guard(server: Server): void {
    server.on('connection', (socket: Socket) => this.take(socket));
  }

  private take(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    // A connection without an address is already closed.
    if (address === '' || this.isShared(address)) return;
    const network = networkOf(address);
    const open = this.open.get(network) ?? 0;
    if (open >= this.limit) {
      this.refuse(socket, address);
      return;
    }
    this.open.set(network, open + 1);
    socket.once('close', () => this.leave(network));
  }

  private leave(network: string): void {
    const left = this.open.get(network)! - 1;
    if (left > 0) this.open.set(network, left);
    else this.open.delete(network);
  }

  private refuse(socket: Socket, address: string): void {
    this.refused += 1;
    socket.destroy();
    const now = performance.now();
    if (now - this.loggedAt < LOG_INTERVAL_MS) return;
    this.loggedAt = now;
    this.onRefused(address);
  }
}
