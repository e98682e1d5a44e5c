import type { BusMessages, BusRequests } from './messages.ts';

/**
 * The bus carries small messages between the roles, at most once: a message may be lost, and whoever missed
 * one finds out from the rows. Nothing waits in it for someone who is away.
 */
export interface Bus extends AsyncDisposable {
  /** Tells every subscriber of the topic, soon or never. Never throws, never blocks. */
  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void;
  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription;
  /**
   * Asks whoever serves the name at this address, and waits for the answer.
   * @throws BusError: `no-responder` at once when nobody serves it, `timeout` after the deadline,
   * `failed` with the server's message when it threw, `closed` when the bus was closed meanwhile.
   */
  request<R extends keyof BusRequests>(
    name: R,
    address: string,
    request: BusRequests[R]['request'],
    options: { timeoutMs: number },
  ): Promise<BusRequests[R]['response']>;
  /** Several may serve one name and address: each request goes to one of them. */
  serve<R extends keyof BusRequests>(
    name: R,
    address: string,
    handler: (request: BusRequests[R]['request']) => Promise<BusRequests[R]['response']>,
  ): Subscription;
}

export interface Subscription {
  close(): void;
}

export class BusError extends Error {
  readonly kind: 'no-responder' | 'timeout' | 'failed' | 'closed';
  constructor(kind: BusError['kind'], message: string) {
    super(message);
    this.name = 'BusError';
    this.kind = kind;
  }
}
