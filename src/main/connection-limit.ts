import type { Server, Socket } from 'node:net';
import { networkOf } from '../util/network-of.ts';
import { plainAddress } from '../util/plain-address.ts';

/** How often it is told that connections were cut off. */
const TELL_MS = 60_000;

/**
 * How many connections one address has open at this process's ports. What comes above that is cut off before a byte of it
 * is read: it is there to use up what the process can hold, and has asked nothing that could be answered.
 */
export class ConnectionLimit {
  /** Connections cut off so far. */
  refused = 0;
  private readonly limit: number;
  private readonly isShared: (address: string) => boolean;
  private readonly tell: (address: string) => void;
  private readonly open = new Map<string, number>();
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: {
    limit: number;
    /** Whether many clients may come from this address, so that it has no limit. */
    isShared: (address: string) => boolean;
    /** Called once a minute at the most. */
    tell: (address: string) => void;
  }) {
    this.limit = options.limit;
    this.isShared = options.isShared;
    this.tell = options.tell;
  }

  guard(server: Server): void {
    server.on('connection', (socket: Socket) => this.take(socket));
  }

  private take(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    // Without an address it has been closed meanwhile.
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
    if (now - this.toldAt < TELL_MS) return;
    this.toldAt = now;
    this.tell(address);
  }
}
