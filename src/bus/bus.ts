import type { BusMessages, BusRequests } from './messages.ts';

/**
 * Address to pass to serve() in order to handle the requests to every address. The handler gets the address of each
 * request. For requests from hosts that is the sender, which the bus authenticates rather than the message.
 */
export const ANY_ADDRESS = '*';

/**
 * The bus carries small messages between the roles, with at-most-once delivery. A receiver that misses a message
 * learns of the change from the rows. Messages are not stored for receivers that are not connected.
 */
export interface Bus extends AsyncDisposable {
  /**
   * Whether messages from other processes arrive at present. While they do not, the silence of a host means nothing.
   */
  readonly isUp: boolean;
  /** Sends to every subscriber of the topic, at most once. Never throws and never blocks. */
  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void;
  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription;
  /**
   * Sends a request to a server of the name at this address, or at every address, and waits for the response. An
   * address is an identifier: letters, digits, `_` and `-`, at most 128 characters.
   * @throws BusError: `no-responder` at once when there is no server; `timeout` after the deadline; `failed` with the
   * server's message when its handler threw, when the address is invalid, or when this bus is not permitted or not
   * able to carry the message; `unreachable` at once during an outage of the bus, and for pending requests when one
   * begins, whether or not they were handled; `closed` when the bus is closed in the meantime.
   */
  request<R extends keyof BusRequests>(
    name: R,
    address: string,
    request: BusRequests[R]['request'],
    options: { timeoutMs: number },
  ): Promise<BusRequests[R]['response']>;
  /**
   * Several servers may serve one name and address. A request to the control plane goes to one of them; a request to
   * a host goes to all of them, and the first response counts (hasOneResponder). The handler gets the requested
   * address.
   * @throws BusError `failed` when it is neither an address nor ANY_ADDRESS
   */
  serve<R extends keyof BusRequests>(name: R, address: string, handler: RequestHandler<R>): Subscription;
}

export type RequestHandler<R extends keyof BusRequests> = (
  request: BusRequests[R]['request'],
  address: string,
) => Promise<BusRequests[R]['response']>;

export interface Subscription {
  close(): void;
}

export class BusError extends Error {
  readonly kind: 'no-responder' | 'timeout' | 'failed' | 'unreachable' | 'closed';
  constructor(kind: BusError['kind'], message: string) {
    super(message);
    this.name = 'BusError';
    this.kind = kind;
  }
}

const ADDRESS = /^[\w-]{1,128}$/;

/**
 * Keeps identifiers from containing characters that have a meaning in the subjects of a bus.
 * @throws BusError `failed` when the address is invalid
 */
export function checkAddress(address: string): void {
  if (!ADDRESS.test(address))
    throw new BusError('failed', `${JSON.stringify(address)} is not a valid address on the bus`);
}
