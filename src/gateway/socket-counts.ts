import { randomUUID } from 'node:crypto';
import type { Bus } from '../bus/bus.ts';
import { MAX_SHARED_COUNTS } from '../bus/messages.ts';

/** How often a process publishes how many sockets it has open for each account. */
const SHARE_MS = 1_000;
/** How long the last counts of a process that no longer publishes remain in effect. */
const OTHERS_TTL_MS = 5_000;

interface Others {
  counts: ReadonlyMap<string, number>;
  receivedAt: number;
}

/**
 * How many sockets each account has open, at this process's gateways and, with a delay of up to a second, at those of
 * other processes. Sockets that open at several processes within one second may exceed the limit; none is closed for
 * that.
 */
export class SocketCounts implements Disposable {
  readonly limit: number;
  private readonly from = `proc_${randomUUID()}`;
  private readonly own = new Map<string, number>();
  private readonly others = new Map<string, Others>();
  private readonly bus: Pick<Bus, 'publish'>;
  private readonly now: () => number;
  private readonly close: () => void;
  private hasPublished = false;

  constructor({
    bus,
    limit,
    now = () => performance.now(),
    everyMs = SHARE_MS,
  }: {
    bus: Pick<Bus, 'publish' | 'subscribe'>;
    limit: number;
    now?: () => number;
    everyMs?: number;
  }) {
    this.bus = bus;
    this.limit = limit;
    this.now = now;
    const subscription = bus.subscribe('sockets.open', ({ from, open }) => {
      if (from === this.from) return;
      const counts = new Map(open.map(({ accountId, count }) => [accountId, count]));
      this.others.set(from, { counts, receivedAt: now() });
    });
    const timer = setInterval(() => this.publish(), everyMs);
    this.close = () => {
      clearInterval(timer);
      subscription.close();
    };
  }

  /** Reserves a slot for one more socket. Returns a function that releases it, or null when the limit is reached. */
  reserve(accountId: string): (() => void) | null {
    const own = this.own.get(accountId) ?? 0;
    if (own + this.countElsewhere(accountId) >= this.limit) return null;
    this.own.set(accountId, own + 1);
    let isReserved = true;
    return () => {
      if (isReserved) this.release(accountId);
      isReserved = false;
    };
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private release(accountId: string): void {
    const left = this.own.get(accountId)! - 1;
    if (left > 0) this.own.set(accountId, left);
    else this.own.delete(accountId);
  }

  private countElsewhere(accountId: string): number {
    let count = 0;
    for (const { counts, receivedAt } of this.others.values()) {
      if (this.now() - receivedAt < OTHERS_TTL_MS) count += counts.get(accountId) ?? 0;
    }
    return count;
  }

  private publish(): void {
    for (const [from, { receivedAt }] of this.others) {
      if (this.now() - receivedAt >= OTHERS_TTL_MS) this.others.delete(from);
    }
    if (this.own.size === 0 && !this.hasPublished) return;
    this.hasPublished = this.own.size > 0;
    const largest = [...this.own].sort(([, a], [, b]) => b - a).slice(0, MAX_SHARED_COUNTS);
    const open = largest.map(([accountId, count]) => ({ accountId, count }));
    this.bus.publish('sockets.open', { from: this.from, open });
  }
}
