import type { Server, Socket } from 'node:net';
import { endpointsOf } from './endpoints-of.ts';
import { networkOf } from './network-of.ts';
import { plainAddress } from './plain-address.ts';

export interface PendingLimits {
  /** Pending connections of all addresses together. */
  total: number;
  /** Pending connections of one address (of one /64 network in IPv6). */
  perAddress: number;
  /** How long a connection may be pending: TCP, the TLS handshake and the first request together. */
  deadlineMs: number;
  /** A connection younger than this is not evicted for another one of its own address. */
  graceMs?: number;
}

interface Pending {
  socket: Socket;
  network: string;
  since: number;
  timer: NodeJS.Timeout;
}

/**
 * Bounds the number of connections that have not made a request yet, so that clients that connect and send nothing,
 * or send slowly, never block others. When an address has reached its share, or all addresses the total, the oldest
 * pending connection is closed: of that address, or of the address with the most pending connections.
 */
export class PendingConnections {
  /** Connections closed so far: evicted, refused, or past the deadline. */
  closed = 0;
  private readonly limits: Required<PendingLimits>;
  private readonly isShared: (address: string) => boolean;
  /** Keyed by the addresses of both ends, by which a TLS socket is matched to its TCP connection. */
  private readonly pending = new Map<string, Pending>();
  /** The pending connections of each network, oldest first. */
  private readonly byNetwork = new Map<string, Set<Pending>>();

  /** @param isShared whether many clients may connect from an address; such an address has no share */
  constructor(limits: PendingLimits, isShared: (address: string) => boolean = () => false) {
    this.limits = { graceMs: 1_000, ...limits };
    this.isShared = isShared;
  }

  get size(): number {
    return this.pending.size;
  }

  guard(server: Server): void {
    server.on('connection', (socket: Socket) => this.add(socket));
  }

  /** Adds a connection, or closes it immediately when there is no room for it. */
  add(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    // A connection without an address is already closed.
    if (address === '' || socket.destroyed) return;
    const network = networkOf(address);
    if (!this.makeRoom(network, this.isShared(address))) {
      this.closed += 1;
      socket.destroy();
      return;
    }
    const key = endpointsOf(socket);
    const timer = setTimeout(() => this.evict(pending), this.limits.deadlineMs);
    const pending: Pending = { socket, network, since: performance.now(), timer };
    this.pending.set(key, pending);
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? new Set()).add(pending));
    socket.once('close', () => this.remove(key, pending));
  }

  /** The connection made its first request. */
  settle(socket: Socket): void {
    const key = endpointsOf(socket);
    const pending = this.pending.get(key);
    if (pending) this.remove(key, pending);
  }

  /** Closes all pending connections. */
  close(): void {
    for (const { socket } of this.pending.values()) socket.destroy();
  }

  private makeRoom(network: string, isShared: boolean): boolean {
    const own = this.byNetwork.get(network)?.size ?? 0;
    const hasReachedShare = !isShared && own >= this.limits.perAddress;
    if (!hasReachedShare && this.pending.size < this.limits.total) return true;
    const crowded = hasReachedShare ? network : this.mostCrowded();
    const [oldest] = this.byNetwork.get(crowded) ?? [];
    if (!oldest) return false;
    if (crowded === network && performance.now() - oldest.since < this.limits.graceMs) return false;
    this.evict(oldest);
    return true;
  }

  private mostCrowded(): string {
    let [crowded, most] = ['', 0];
    for (const [network, those] of this.byNetwork)
      if (those.size > most) [crowded, most] = [network, those.size];
    return crowded;
  }

  private evict(pending: Pending): void {
    this.closed += 1;
    this.remove(endpointsOf(pending.socket), pending);
    pending.socket.destroy();
  }

  private remove(key: string, pending: Pending): void {
    clearTimeout(pending.timer);
    if (this.pending.get(key) === pending) this.pending.delete(key);
    const those = this.byNetwork.get(pending.network);
    those?.delete(pending);
    if (those?.size === 0) this.byNetwork.delete(pending.network);
  }
}
