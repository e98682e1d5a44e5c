import { type Bus, BusError, type Subscription } from './bus.ts';
import type { BusMessages, BusRequests } from './messages.ts';

interface Options {
  /** Messages that may wait for one subscriber; above it the oldest is dropped. */
  maxPending?: number;
  /** Requests that may be under way; above it a request fails at once. */
  maxRequests?: number;
}

interface Subscriber {
  handler: (message: never) => void;
  pending: unknown[];
  scheduled: boolean;
  closed: boolean;
}

interface Server {
  handler: (request: never) => Promise<unknown>;
}

/** The servers of one name and address, and whose turn it is. */
interface Pool {
  servers: Server[];
  next: number;
}

/**
 * The bus of a single process. It keeps the contract of the other kinds on purpose: handlers run later, never
 * inside the caller's stack; every receiver gets a copy of its own; and a subscriber that cannot keep up loses
 * its oldest messages. What a handler throws in `subscribe` is its own fault and surfaces as an uncaught error.
 */
export class InProcessBus implements Bus {
  /** Messages lost because a subscriber had too many waiting. */
  dropped = 0;
  private readonly maxPending: number;
  private readonly maxRequests: number;
  private readonly subscribers = new Map<string, Set<Subscriber>>();
  private readonly pools = new Map<string, Pool>();
  private readonly waiting = new Set<(error: BusError) => void>();
  private closed = false;

  constructor({ maxPending = 1024, maxRequests = 4096 }: Options = {}) {
    this.maxPending = maxPending;
    this.maxRequests = maxRequests;
  }

  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void {
    if (this.closed) return;
    for (const subscriber of this.subscribers.get(topic) ?? []) {
      if (subscriber.pending.length >= this.maxPending) {
        subscriber.pending.shift();
        this.dropped += 1;
      }
      subscriber.pending.push(structuredClone(message));
      schedule(subscriber);
    }
  }

  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription {
    const subscriber: Subscriber = { handler, pending: [], scheduled: false, closed: false };
    const those = this.subscribers.get(topic) ?? new Set();
    this.subscribers.set(topic, those.add(subscriber));
    return {
      close: () => {
        subscriber.closed = true;
        those.delete(subscriber);
      },
    };
  }

  request<R extends keyof BusRequests>(
    name: R,
    address: string,
    request: BusRequests[R]['request'],
    { timeoutMs }: { timeoutMs: number },
  ): Promise<BusRequests[R]['response']> {
    const where = `${name} at ${address}`;
    if (this.closed) return Promise.reject(closedError());
    const server = this.turn(name, address);
    if (!server) return Promise.reject(new BusError('no-responder', `nobody serves ${where}`));
    if (this.waiting.size >= this.maxRequests) {
      return Promise.reject(new BusError('failed', `${this.waiting.size} requests are under way already`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<BusRequests[R]['response']>();
    const timer = setTimeout(() => {
      reject(new BusError('timeout', `${where} did not answer within ${timeoutMs} ms`));
    }, timeoutMs);
    this.waiting.add(reject);
    setImmediate(serve, server, structuredClone(request), resolve, reject);
    return promise.finally(() => {
      clearTimeout(timer);
      this.waiting.delete(reject);
    });
  }

  serve<R extends keyof BusRequests>(
    name: R,
    address: string,
    handler: (request: BusRequests[R]['request']) => Promise<BusRequests[R]['response']>,
  ): Subscription {
    const key = poolKey(name, address);
    const pool = this.pools.get(key) ?? { servers: [], next: 0 };
    const server: Server = { handler };
    pool.servers.push(server);
    this.pools.set(key, pool);
    return {
      close: () => {
        pool.servers = pool.servers.filter((other) => other !== server);
        if (pool.servers.length === 0 && this.pools.get(key) === pool) this.pools.delete(key);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    for (const those of this.subscribers.values()) for (const subscriber of those) subscriber.closed = true;
    this.subscribers.clear();
    this.pools.clear();
    for (const reject of this.waiting) reject(closedError());
  }

  private turn(name: string, address: string): Server | undefined {
    const pool = this.pools.get(poolKey(name, address));
    if (!pool) return undefined;
    const server = pool.servers[pool.next % pool.servers.length];
    pool.next = (pool.next + 1) % pool.servers.length;
    return server;
  }
}

const poolKey = (name: string, address: string) => `${name}\n${address}`;
const closedError = () => new BusError('closed', 'the bus was closed');

function schedule(subscriber: Subscriber): void {
  if (subscriber.scheduled) return;
  subscriber.scheduled = true;
  setImmediate(deliver, subscriber);
}

/** Delivers what waits now; what a handler publishes meanwhile has its turn later, so that the loop ends. */
function deliver(subscriber: Subscriber): void {
  subscriber.scheduled = false;
  const messages = subscriber.pending.splice(0);
  try {
    while (messages.length > 0 && !subscriber.closed) subscriber.handler(messages.shift() as never);
  } finally {
    if (messages.length > 0 && !subscriber.closed) {
      subscriber.pending.unshift(...messages);
      schedule(subscriber);
    }
  }
}

async function serve(
  server: Server,
  request: unknown,
  resolve: (response: never) => void,
  reject: (error: BusError) => void,
): Promise<void> {
  try {
    resolve(structuredClone(await server.handler(request as never)) as never);
  } catch (error) {
    reject(new BusError('failed', error instanceof Error ? error.message : String(error)));
  }
}
