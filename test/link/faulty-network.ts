import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A network between the two ends of a link, at `origin`, that fails as a test tells it to. */
export class FaultyNetwork implements AsyncDisposable {
  /** The port that connections go on to. */
  target = 0;
  /** Connections let through so far. */
  accepted = 0;
  /** Connections refused so far. */
  refused = 0;
  /** Connections open now. */
  open = 0;
  /** Bytes a second that pass towards the target. */
  rate = Number.POSITIVE_INFINITY;
  /** Connections on which bytes are held back at this moment, to keep to the rate. */
  holding = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly stranded = new WeakSet<Socket>();
  private readonly closing = new AbortController();
  private refusing = false;
  /** Resolved while bytes pass. */
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

  /** Nothing passes any more, the end of a connection neither: each side has a peer that says nothing. */
  swallow(): void {
    this.passing = Promise.withResolvers();
  }

  /** Every connection is reset at once, and there are no new ones until heal(). */
  cut(): void {
    this.refusing = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  /** Nothing passes any more on the connections that are open now, and their ends are not told; new ones are sound. */
  strand(): void {
    for (const socket of this.sockets) this.stranded.add(socket);
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
        if (this.stranded.has(from)) continue;
        await this.hold(((chunk as Buffer).length / rate()) * 1000);
        if (!to.write(chunk) && !to.destroyed) await Promise.race([once(to, 'drain'), gone]);
      }
    } catch {
      // It was reset: the other side is to see that too.
    }
    await this.passing.promise;
    if (this.stranded.has(from)) return;
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
