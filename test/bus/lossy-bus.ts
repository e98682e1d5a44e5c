import { type Bus, BusError, type RequestHandler, type Subscription } from '../../src/bus/bus.ts';
import type { BusMessages, BusRequests } from '../../src/bus/messages.ts';

/**
 * Bus that loses a share of its traffic, as a broker does during an outage. A lost message never arrives. For a lost
 * request, either the request or the response is lost, and the caller waits until its deadline.
 */
export class LossyBus implements Bus {
  /** Number of losses so far. A test that expects losses must assert it, or it tests nothing. */
  lost = 0;
  private readonly inner: Bus;
  private readonly share: number;
  private readonly random: () => number;

  constructor(inner: Bus, options: { share: number; random?: () => number }) {
    this.inner = inner;
    this.share = options.share;
    this.random = options.random ?? seeded(1);
  }

  get isUp(): boolean {
    return this.inner.isUp;
  }

  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void {
    if (!this.loses()) this.inner.publish(topic, message);
  }

  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription {
    return this.inner.subscribe(topic, handler);
  }

  async request<R extends keyof BusRequests>(
    name: R,
    address: string,
    request: BusRequests[R]['request'],
    options: { timeoutMs: number },
  ): Promise<BusRequests[R]['response']> {
    if (!this.loses()) return this.inner.request(name, address, request, options);
    if (this.random() < 0.5) await this.inner.request(name, address, request, options).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, options.timeoutMs));
    throw new BusError('timeout', `the message ${name} to ${address} was lost`);
  }

  serve<R extends keyof BusRequests>(name: R, address: string, handler: RequestHandler<R>): Subscription {
    return this.inner.serve(name, address, handler);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.inner[Symbol.asyncDispose]();
  }

  private loses(): boolean {
    if (this.random() >= this.share) return false;
    this.lost += 1;
    return true;
  }
}

/** Mulberry32 (public domain). It reproduces the same losses in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
