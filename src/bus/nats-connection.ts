import { setTimeout as delay } from 'node:timers/promises';
import {
  connect,
  errors,
  type Msg,
  type NatsConnection,
  type NatsConnectionImpl,
  type Status,
} from '@nats-io/transport-node';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { LogThrottle } from '../util/log-throttle.ts';
import { BusError, type Subscription } from './bus.ts';
import { addressesOf, connectionOptions, type NatsServers, pauseAfter } from './nats-options.ts';

/**
 * A hung server accepts connections but sends nothing. After this time the next server of the cluster is tried.
 */
const DIAL_TIMEOUT_MS = 3_000;
const FLUSH_TIMEOUT_MS = 500;
/**
 * Maximum bytes that the server has not confirmed. A server that reads nothing is detected within 4 s
 * (nats-options.ts).
 */
const MAX_UNCONFIRMED = 16 * 1024 * 1024;
/** Above this many unconfirmed bytes, the server is asked to confirm them. */
const CONFIRM_FROM = 64 * 1024;

export interface ConnectionListener {
  /** The server is unreachable: messages that were sent and not answered may be lost. */
  onDown(): void;
  /** The server does not permit this process to publish to the subject. */
  onForbidden(subject: string): void;
}

/** Number of connection attempts since the connection was lost, and the delay before the next one. */
interface Attempts {
  count: number;
  pauseMs: number;
}

/** Whether a message was sent, or why not. */
export type Sent = 'sent' | 'unreachable' | 'too-many-unconfirmed' | 'too-large';

/**
 * A NATS connection that reconnects forever, and restores its subscriptions. While it is down, messages are neither
 * sent nor stored for later.
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
  /** Bytes sent to the current server that it has not confirmed. */
  private flight = { bytes: 0, asking: false };

  private constructor(nats: NatsConnection, attempts: Attempts, listener: ConnectionListener, log: Log) {
    this.nats = nats;
    this.attempts = attempts;
    this.listener = listener;
    this.log = log;
    this.following = this.follow();
  }

  /**
   * @param servers deadlineMs null: waits for a server indefinitely, and logs that it does
   * @throws BusError with one line that contains no secret: `failed` when the server rejects this process, or this
   * process rejects the server's certificate; `unreachable` when no server was reached by the deadline
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
        if (isPermanent(error)) throw new BusError('failed', `${addressesOf(servers)}: ${reasonOf(error)}`);
        const none = `cannot connect to a NATS server at ${addressesOf(servers)}`;
        if (performance.now() + pause >= deadline)
          throw new BusError(
            'unreachable',
            `${none} within ${deadlineMs! / 1000} s: ${reasonOf(error)}; check PHONEBOOTH_NATS_URL`,
          );
        if (deadlineMs === null && attempt === 0)
          log.warn({ reason: reasonOf(error) }, `${none} yet; retrying`);
        await delay(pause);
      }
    }
  }

  get isUp(): boolean {
    return this.up && !this.closing;
  }

  /** Whether the server requires no authentication, which lets any client publish anything. */
  get allowsAnonymous(): boolean {
    return this.nats.info?.auth_required !== true;
  }

  /** Maximum size of a message, bytes. */
  get maxPayload(): number {
    return this.nats.info?.max_payload ?? 0;
  }

  send(subject: string, data: Uint8Array, reply?: string): Sent {
    if (!this.isUp) return 'unreachable';
    if (data.length > this.maxPayload) return 'too-large';
    if (this.flight.bytes + data.length > MAX_UNCONFIRMED) return 'too-many-unconfirmed';
    this.nats.publish(subject, data, reply === undefined ? undefined : { reply });
    this.flight.bytes += data.length;
    this.confirm();
    return 'sent';
  }

  /**
   * Resolves when everything that the server had sent before has been read. Rejects when the connection is lost.
   */
  async caughtUp(): Promise<void> {
    await this.nats.flush();
  }

  /** The handler is called while bytes are read. It must not throw, and must return quickly. */
  subscribe(subject: string, handler: (message: Msg) => void, queue?: string): Subscription {
    if (this.closing) return { close: () => {} };
    const callback = (error: Error | null, message: Msg) => {
      if (!error) handler(message);
    };
    const subscription = this.nats.subscribe(subject, { callback, queue });
    return { close: () => subscription.isClosed() || subscription.unsubscribe() };
  }

  /** Messages that were sent just before are still flushed if the server reads them soon. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closing) return this.following;
    const flushed = this.up ? this.nats.flush() : Promise.resolve();
    this.closing = true;
    await withDeadline(flushed, FLUSH_TIMEOUT_MS, 'the NATS server did not answer').catch(() => {});
    await this.nats.close();
    // A connection attempt in progress would keep its socket
    (this.nats as NatsConnectionImpl).protocol.transport.discard();
    await this.following;
  }

  private confirm(): void {
    const { flight } = this;
    if (flight.asking || flight.bytes < CONFIRM_FROM) return;
    flight.asking = true;
    const asked = flight.bytes;
    // Rejected when the connection is lost, which also resets `flight`
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
        // The client would first wait until all written bytes are flushed, which may never happen; observed with
        // 3.4.0 and a hung server whose socket buffer is full. This call closes without waiting.
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
        this.log.info({ server: status.server }, 'NATS server is available again');
        break;
      case 'error':
        this.takeError(status.error);
        break;
    }
  }

  private takeError(error: Error): void {
    if (error instanceof errors.PermissionViolationError) {
      const { operation, subject } = error;
      // A host can cause these as often as it likes, by using a reply subject twice
      this.throttle.log(operation, (suppressed) =>
        this.log.error({ operation, subject, suppressed }, 'NATS server denied a permission'),
      );
      if (operation === 'publish') this.listener.onForbidden(subject);
      return;
    }
    this.throttle.log('other', (suppressed) =>
      this.log.warn({ error: reasonOf(error), suppressed }, 'NATS server reported an error'),
    );
  }

  private setDown(): void {
    if (!this.up) return;
    this.up = false;
    this.flight = { bytes: 0, asking: false };
    if (!this.closing) this.log.warn({}, 'NATS server is unavailable; retrying');
    this.listener.onDown();
  }
}

/**
 * Whether retrying is pointless: the server does not accept this process, or is not the one that the setting names.
 */
function isPermanent(error: unknown): boolean {
  if (error instanceof errors.AuthorizationError) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && /CERT|TLS|SSL|UNABLE_TO/.test(code)) return true;
  return error instanceof errors.ConnectionError && /'tls'|doesn't exist/.test(error.message);
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.AuthorizationError)
    return (
      'the NATS server rejected the credential of this process; update its configuration with ' +
      'phonebooth hosts nats-config'
    );
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
