import { setTimeout as delay } from 'node:timers/promises';
import {
  connect,
  errors,
  type Msg,
  type NatsConnection,
  type NatsConnectionImpl,
  type Status,
} from '@nats-io/transport-node';
import type { Log } from '../util/log.ts';
import { LogThrottle } from '../util/log-throttle.ts';
import { BusError, type Subscription } from './bus.ts';
import { connectionOptions, type NatsServers, pauseAfter, placesOf } from './nats-options.ts';

/** A server that is stopped takes connections and says nothing; the next one of a cluster is tried after this time. */
const DIAL_TIMEOUT_MS = 3_000;
const FAREWELL_MS = 500;
/** Bytes that the server may have yet to take; a server that takes nothing is found out in 4 s (nats-options.ts). */
const MAX_UNCONFIRMED = 16 * 1024 * 1024;
/** From here on the server is asked now and then whether it took them. */
const CONFIRM_FROM = 64 * 1024;

export interface ConnectionListener {
  /** The server is out of reach: what was sent and not answered may be lost. */
  onDown(): void;
  /** The server does not let this process publish there. */
  onForbidden(subject: string): void;
}

/** How often the server was dialled since it was lost, and how long to wait before the next time. */
interface Attempts {
  count: number;
  pauseMs: number;
}

/** What became of a message: why it was not sent, if it was not. */
export type Sent = 'sent' | 'unreachable' | 'too-much-under-way' | 'too-large';

/**
 * A connection to NATS that comes back by itself, for ever, with its subscriptions. While it is down nothing is sent
 * and nothing is kept for later.
 */
export class Connection implements AsyncDisposable {
  private readonly nats: NatsConnection;
  private readonly listener: ConnectionListener;
  private readonly log: Log;
  private readonly throttle = new LogThrottle();
  private readonly following: Promise<void>;
  private readonly attempts: Attempts;
  private up = true;
  private closing = false;
  /** Bytes sent to the present server of which it has not said that it took them. */
  private flight = { bytes: 0, asking: false };

  private constructor(nats: NatsConnection, attempts: Attempts, listener: ConnectionListener, log: Log) {
    this.nats = nats;
    this.attempts = attempts;
    this.listener = listener;
    this.log = log;
    this.following = this.follow();
  }

  /**
   * @param servers deadlineMs null: it waits for a server for ever, and says so
   * @throws BusError, one line without anything secret: `failed` when the server refuses this process or this
   * process the server's certificate, `unreachable` when there is none by the deadline
   */
  static async open(
    servers: NatsServers & { deadlineMs: number | null },
    listener: ConnectionListener,
    log: Log,
  ): Promise<Connection> {
    const attempts: Attempts = { count: 0, pauseMs: pauseAfter(0) };
    const options = { ...connectionOptions(servers), reconnectDelayHandler: () => attempts.pauseMs };
    const { deadlineMs } = servers;
    const deadline = deadlineMs === null ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs;
    for (let attempt = 0; ; attempt++) {
      const left = deadline - performance.now();
      try {
        const nats = await connect({ ...options, timeout: Math.max(1, Math.min(DIAL_TIMEOUT_MS, left)) });
        return new Connection(nats, attempts, listener, log);
      } catch (error) {
        const pause = pauseAfter(attempt);
        if (isLasting(error)) throw new BusError('failed', `${placesOf(servers)}: ${sentence(error)}`);
        const none = `no NATS server at ${placesOf(servers)}`;
        if (performance.now() + pause >= deadline)
          throw new BusError('unreachable', `${none} within ${deadlineMs! / 1000} s: ${sentence(error)}`);
        if (deadlineMs === null && attempt === 0)
          log.warn({ reason: sentence(error) }, `${none} yet; waiting for it`);
        await delay(pause);
      }
    }
  }

  get isUp(): boolean {
    return this.up && !this.closing;
  }

  /** Whoever reaches the server may say anything there. */
  get letsAnyoneIn(): boolean {
    return this.nats.info?.auth_required !== true;
  }

  /** Bytes that the server takes in one message. */
  get maxPayload(): number {
    return this.nats.info?.max_payload ?? 0;
  }

  send(subject: string, data: Uint8Array, reply?: string): Sent {
    if (!this.isUp) return 'unreachable';
    if (data.length > this.maxPayload) return 'too-large';
    if (this.flight.bytes + data.length > MAX_UNCONFIRMED) return 'too-much-under-way';
    this.nats.publish(subject, data, reply === undefined ? undefined : { reply });
    this.flight.bytes += data.length;
    this.confirm();
    return 'sent';
  }

  /** Resolves when all that the server had sent before was read. Rejects when the connection is lost. */
  async caughtUp(): Promise<void> {
    await this.nats.flush();
  }

  /** The handler is called as the bytes are read: it must not throw, and should not take long. */
  subscribe(subject: string, handler: (message: Msg) => void, queue?: string): Subscription {
    if (this.closing) return { close: () => {} };
    const callback = (error: Error | null, message: Msg) => {
      if (!error) handler(message);
    };
    const subscription = this.nats.subscribe(subject, { callback, queue });
    return { close: () => subscription.isClosed() || subscription.unsubscribe() };
  }

  /** What was sent just before still leaves, if the server takes it soon. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closing) return this.following;
    const farewell = new AbortController();
    const flushed = this.up ? this.nats.flush().catch(() => {}) : Promise.resolve();
    this.closing = true;
    await Promise.race([flushed, delay(FAREWELL_MS, undefined, { signal: farewell.signal }).catch(() => {})]);
    farewell.abort();
    await this.nats.close();
    // An attempt to dial that is under way would keep its socket.
    (this.nats as NatsConnectionImpl).protocol.transport.discard();
    await this.following;
  }

  private confirm(): void {
    const { flight } = this;
    if (flight.asking || flight.bytes < CONFIRM_FROM) return;
    flight.asking = true;
    const asked = flight.bytes;
    // Rejected when the connection is lost, and with it this flight.
    this.nats.flush().then(
      () => {
        flight.asking = false;
        flight.bytes -= asked;
        this.confirm();
      },
      () => {},
    );
  }

  private async follow(): Promise<void> {
    for await (const status of this.nats.status()) this.take(status);
  }

  private take(status: Status): void {
    switch (status.type) {
      case 'staleConnection':
        this.setDown();
        // The client would first wait until all it wrote has left, which may be never; seen with 3.4.0 and a stopped
        // server whose socket is full. This close does not wait.
        void (this.nats as NatsConnectionImpl).protocol.transport.close();
        break;
      case 'disconnect':
        this.setDown();
        break;
      case 'reconnecting':
        this.attempts.count += 1;
        this.attempts.pauseMs = pauseAfter(this.attempts.count);
        break;
      case 'reconnect':
        Object.assign(this.attempts, { count: 0, pauseMs: pauseAfter(0) });
        this.up = true;
        this.log.info({ server: status.server }, 'the NATS server is back');
        break;
      case 'error':
        this.takeError(status.error);
        break;
    }
  }

  private takeError(error: Error): void {
    if (error instanceof errors.PermissionViolationError) {
      const { operation, subject } = error;
      // A host can cause these as often as it likes, with a reply subject that it uses twice.
      this.throttle.log(operation, (suppressed) =>
        this.log.error({ operation, subject, suppressed }, 'the NATS server does not permit this'),
      );
      if (operation === 'publish') this.listener.onForbidden(subject);
      return;
    }
    this.throttle.log('other', (suppressed) =>
      this.log.warn({ error: sentence(error), suppressed }, 'the NATS server complained'),
    );
  }

  private setDown(): void {
    if (!this.up) return;
    this.up = false;
    this.flight = { bytes: 0, asking: false };
    if (!this.closing) this.log.warn({}, 'the NATS server is out of reach; trying again until it is back');
    this.listener.onDown();
  }
}

/** Waiting would not help: the server does not know this process, or is not the one that the setting names. */
function isLasting(error: unknown): boolean {
  if (error instanceof errors.AuthorizationError) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && /CERT|TLS|SSL|UNABLE_TO/.test(code)) return true;
  return error instanceof errors.ConnectionError && /'tls'|doesn't exist/.test(error.message);
}

function sentence(error: unknown): string {
  if (error instanceof errors.AuthorizationError) return 'the server refused the credential of this process';
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
