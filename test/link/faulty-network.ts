import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A network between the two ends of a link, at `origin`, with failures that a test controls. */
export class FaultyNetwork implements AsyncDisposable {
  /** The port to which connections are forwarded. */
  target = 0;
  /** Number of connections accepted so far. */
  accepted = 0;
  /** Number of connections rejected so far. */
  refused = 0;
  /** Number of open connections. */
  open = 0;
  /** Bytes per second that can pass towards the target. */
  rate = Number.POSITIVE_INFINITY;
  /** Number of connections on which bytes are currently delayed to limit the rate. */
  holding = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly stalled = new WeakSet<Socket>();
  private readonly closing = new AbortController();
  private refusing = false;
  /** Resolved while bytes can pass. */
  private passing = Promise.withResolvers<void>();

  private constructor() {
    this.server = createServer((socket) => this.take(socket));
    this.passing.resolve();
  }

  static async start(): Promise<FaultyNetwork> {
    const network = new FaultyNetwork();
    await new Promise<void>((resolve) => network.server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get origin(): string {
    return `wss://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Stops all traffic, including connection ends. Each side sees a silent peer. */
  discardData(): void {
    this.passing = Promise.withResolvers();
  }

  /** Resets every connection and rejects new ones until heal(). */
  cut(): void {
    this.refusing = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Stops all traffic on the connections that are open now, without notifying their ends. New connections work. */
  stall(): void {
    for (const socket of this.sockets) this.stalled.add(socket);
  }

  heal(): void {
    this.refusing = false;
    this.passing.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.passing.resolve();
    this.closing.abort();
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private take(near: Socket): void {
    if (this.refusing) {
      this.refused += 1;
      near.resetAndDestroy();
      return;
    }
    this.accepted += 1;
    this.open += 1;
    near.once('close', () => {
      this.open -= 1;
    });
    const far = connect(this.target, '127.0.0.1');
    void this.carry(near, far, () => this.rate);
    void this.carry(far, near, () => Number.POSITIVE_INFINITY);
  }

  private async carry(from: Socket, to: Socket, rate: () => number): Promise<void> {
    this.sockets.add(from);
    from.on('error', () => {});
    const gone = once(to, 'close').catch(() => {});
    try {
      for await (const chunk of from) {
        await this.passing.promise;
        if (this.stalled.has(from)) continue;
        await this.hold(((chunk as Buffer).length / rate()) * 1000);
        if (!to.write(chunk) && !to.destroyed) await Promise.race([once(to, 'drain'), gone]);
      }
    } catch {
      // The connection was reset. The other side is closed below as well.
    }
    await this.passing.promise;
    if (this.stalled.has(from)) return;
    to.destroySoon();
    this.sockets.delete(from);
  }

  private async hold(ms: number): Promise<void> {
    if (ms < 1) return;
    this.holding += 1;
    await delay(ms, undefined, { signal: this.closing.signal }).finally(() => {
      this.holding -= 1;
    });
  }
}
