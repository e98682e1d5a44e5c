import type { BusMessages, BusRequests } from './messages.ts';

/**
 * The address of a server that serves a name at every address. Its handler learns which was asked; for what hosts
 * send that is the sender, whom the bus, not the message, vouches for.
 */
export const ANY_ADDRESS = '*';

/**
 * The bus carries small messages between the roles, at most once: a message may be lost, and whoever missed
 * one finds out from the rows. Nothing waits in it for someone who is away.
 */
export interface Bus extends AsyncDisposable {
  /** Whether messages of others come in at present. While they do not, nobody's silence says anything. */
  readonly isUp: boolean;
  /** Tells every subscriber of the topic, soon or never. Never throws, never blocks. */
  publish<T extends keyof BusMessages>(topic: T, message: BusMessages[T]): void;
  subscribe<T extends keyof BusMessages>(topic: T, handler: (message: BusMessages[T]) => void): Subscription;
  /**
   * Asks whoever serves the name at this address, or at every address, and waits for the answer. An address is
   * an id: letters, digits, `_` and `-`, at most 128.
   * @throws BusError: `no-responder` at once when nobody serves it; `timeout` after the deadline; `failed` with the
   * server's message when it threw, or when this is no address, or nothing that this bus may or can carry;
   * `unreachable` at once in an outage of the bus, and for what is under way when one begins, done or not;
   * `closed` when the bus was closed meanwhile.
   */
  request<R extends keyof BusRequests>(
    name: R,
    address: string,
    request: BusRequests[R]['request'],
    options: { timeoutMs: number },
  ): Promise<BusRequests[R]['response']>;
  /**
   * Several may serve one name and address. A request to the control plane goes to one of them; a request to a host
   * goes to all of them, and the first answer counts (hasOneResponder). The handler gets the address asked.
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

/** @throws BusError `failed` when it is none; no id of ours may reach into how a bus names its subjects */
export function checkAddress(address: string): void {
  if (!ADDRESS.test(address))
    throw new BusError('failed', `${JSON.stringify(address)} is no address on the bus`);
}
