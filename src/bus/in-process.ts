import { startDeadline } from '../util/deadline.ts';
import {
  ANY_ADDRESS,
  type Bus,
  BusError,
  checkAddress,
  type RequestHandler,
  type Subscription,
} from './bus.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { type BusMessages, type BusRequests, hasOneResponder } from './messages.ts';

interface Options {
  /** Maximum number of waiting messages per subscriber; when it is reached, the oldest is dropped. */
  maxPending?: number;
  /** Maximum number of pending requests; when it is reached, a request fails at once. */
  maxRequests?: number;
}

type Server = (request: never, address: string) => Promise<unknown>;

/** A request, and the functions that answer it. */
interface PendingRequest {
  request: unknown;
  address: string;
  resolve: (response: never) => void;
  reject: (error: BusError) => void;
}

/**
 * The bus of a single process. It deliberately behaves as the distributed implementation does: handlers run in a
 * later turn, every receiver gets its own copy, and a subscriber that cannot keep up loses its oldest messages.
 */
export class InProcessBus implements Bus {
  readonly isUp = true;
  /** Number of messages dropped because a subscriber's queue was full. */
  dropped = 0;
  private readonly maxPending: number;
  private readonly maxRequests: number;
  private readonly subscribers = new Map<string, Set<DeliveryQueue<unknown>>>();
  /** Keyed by name and address. */
  private readonly servers = new Map<string, Server[]>();
  private readonly waiting = new Set<(error: BusError) => void>();
  private closed = false;

  constructor({ maxPending = 1024, maxRequests = 4096 }: Options = {}) {
    this.maxPending = maxPending;
    this.maxRequests = maxRequests;
  }

  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void {
    if (this.closed) return;
    for (const subscriber of this.subscribers.get(topic) ?? []) subscriber.push(structuredClone(message));
  }

  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription {
    const { maxPending } = this;
    const onDrop = () => {
      this.dropped += 1;
    };
    const subscriber = new DeliveryQueue<BusMessages[T]>(handler, { maxPending, onDrop });
    const those = this.subscribers.get(topic) ?? new Set();
    this.subscribers.set(topic, those.add(subscriber as DeliveryQueue<unknown>));
    return {
      close: () => {
        subscriber.close();
        those.delete(subscriber as DeliveryQueue<unknown>);
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
    try {
      checkAddress(address);
    } catch (error) {
      return Promise.reject(error);
    }
    const servers = this.serversOf(name, address);
    if (servers.length === 0)
      return Promise.reject(new BusError('no-responder', `no subscriber serves ${where}`));
    if (this.waiting.size >= this.maxRequests) {
      return Promise.reject(new BusError('failed', `${this.waiting.size} requests are already in progress`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<BusRequests[R]['response']>();
    const stopDeadline = startDeadline(timeoutMs, () => {
      reject(new BusError('timeout', `${where} did not answer within ${timeoutMs} ms`));
    });
    this.waiting.add(reject);
    for (const server of servers)
      setImmediate(serve, server, { request: structuredClone(request), address, resolve, reject });
    return promise.finally(() => {
      stopDeadline();
      this.waiting.delete(reject);
    });
  }

  serve<R extends keyof BusRequests>(name: R, address: string, handler: RequestHandler<R>): Subscription {
    if (address !== ANY_ADDRESS) checkAddress(address);
    const key = serverKey(name, address);
    // A new function for each call, because the same handler may serve twice and each registration is closed
    // separately.
    const server: Server = (request, asked) => handler(request, asked);
    this.servers.set(key, [...(this.servers.get(key) ?? []), server]);
    return {
      close: () => {
        const others = this.servers.get(key)?.filter((other) => other !== server);
        if (others?.length) this.servers.set(key, others);
        else this.servers.delete(key);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true;
    for (const those of this.subscribers.values()) for (const subscriber of those) subscriber.close();
    this.subscribers.clear();
    this.servers.clear();
    for (const reject of this.waiting) reject(closedError());
  }

  /** Picks a random server when the servers share the work, as a broker does in a queue group. */
  private serversOf(name: keyof BusRequests, address: string): Server[] {
    const here = this.servers.get(serverKey(name, address)) ?? [];
    const all = [...here, ...(this.servers.get(serverKey(name, ANY_ADDRESS)) ?? [])];
    if (hasOneResponder(name) || all.length === 0) return all;
    return [all[Math.floor(Math.random() * all.length)]!];
  }
}

const serverKey = (name: string, address: string) => `${name}\n${address}`;
const closedError = () => new BusError('closed', 'the bus is closed');

async function serve(server: Server, { request, address, resolve, reject }: PendingRequest): Promise<void> {
  try {
    resolve(structuredClone(await server(request as never, address)) as never);
  } catch (error) {
    reject(new BusError('failed', error instanceof Error ? error.message : String(error)));
  }
}
