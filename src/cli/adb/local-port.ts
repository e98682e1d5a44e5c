import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterClose, Backoff } from '../../client/reconnect.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { CLOSE } from '../../contract/sockets/close-codes.ts';
import { PendingConnections, type PendingLimits } from '../../util/pending-connections.ts';
import { openTunnel, type Tunnel } from './tunnel.ts';

/** Only programs on this machine may connect: any client of the port has shell access to the phone. */
const HOST = '127.0.0.1';
/**
 * Maximum number of concurrent tunnels. An adb server opens one connection, and another after it has given up the
 * first.
 */
const MAX_TUNNELS = 3;
/**
 * An adb server sends its first message immediately (adb's protocol.txt, CONNECT). A connection reserves a tunnel
 * only then.
 */
const PENDING_LIMITS: PendingLimits = { total: 8, perAddress: 8, deadlineMs: 5_000, graceMs: 100 };
/** Longest wait for a phone to become ready, or for the service to be reachable again. */
const RETRY_TIMEOUT_MS = 60_000;
const NOT_READY: readonly number[] = [ERRORS.sessionNotConnected.code, ERRORS.unavailable.code];
/**
 * `ServiceError.code` when the service cannot be reached. On the first attempt the cause is a wrong address or
 * certificate, which is reported immediately; later the service may be restarting, so the client retries.
 */
const UNREACHABLE = 0;

/** Why adb is not available any more: `message` when the session was ended normally, `error` otherwise. */
export type PortEnd = { message: string; error: null } | { message: null; error: Error };

/**
 * A local port that `adb connect` accepts. At least one tunnel is always open, in use or spare, because the end of
 * the session is signalled through a tunnel.
 */
export class LocalPort implements AsyncDisposable {
  readonly ended: Promise<PortEnd>;
  readonly #url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #tunnels = new Set<Tunnel>();
  readonly #end = Promise.withResolvers<PortEnd>();
  readonly #closing = new AbortController();
  readonly #pending = new PendingConnections(PENDING_LIMITS);
  #joined = 0;
  #spare: Tunnel | null = null;

  private constructor(url: string) {
    this.#url = url;
    this.ended = this.#end.promise;
    this.#server = createServer({ noDelay: true }, (socket) => this.#take(socket));
  }

  /**
   * Opens the first tunnel, then listens.
   * @param port 0 selects an available port
   * @throws ServiceError; Error when the phone has no adb that it can share, or when the port is in use
   */
  static async open(url: string, port: number): Promise<LocalPort> {
    const local = new LocalPort(url);
    try {
      local.#keep(await openWithRetries(url, NOT_READY, local.#closing.signal));
      local.#server.listen(port, HOST);
      await once(local.#server, 'listening');
      return local;
    } catch (error) {
      await local[Symbol.asyncDispose]();
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new Error(
        `port ${port} of ${HOST} is in use by another program; choose another port with --port`,
      );
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address to pass to `adb connect`. */
  get address(): string {
    return `${HOST}:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const socket of this.#sockets) socket.destroy();
    for (const { stream } of this.#tunnels) stream.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    this.#pending.add(socket);
    socket.once('readable', () => this.#join(socket));
  }

  #join(socket: Socket): void {
    this.#pending.settle(socket);
    if (socket.destroyed) return;
    if (this.#joined >= MAX_TUNNELS) {
      socket.destroy();
      return;
    }
    this.#joined += 1;
    socket.once('close', () => {
      this.#joined -= 1;
    });
    const tunnel = this.#spare;
    this.#spare = null;
    if (tunnel) join(socket, tunnel);
    else void this.#openFor(socket);
  }

  async #openFor(socket: Socket): Promise<void> {
    try {
      const tunnel = await openTunnel(this.#url);
      this.#add(tunnel);
      join(socket, tunnel);
    } catch {
      // The adb server retries, and an error of the service is reported when the spare tunnel is opened again.
      socket.destroy();
    }
  }

  #keep(tunnel: Tunnel): void {
    this.#add(tunnel);
    this.#spare = tunnel;
  }

  #add(tunnel: Tunnel): void {
    if (this.#closing.signal.aborted) {
      tunnel.stream.destroy();
      return;
    }
    this.#tunnels.add(tunnel);
    void tunnel.ended.then(({ code, reason }) => {
      this.#tunnels.delete(tunnel);
      if (this.#spare === tunnel) this.#spare = null;
      if (afterClose(code) === 'session-ended') this.#end.resolve(endOf(code, reason));
      else if (this.#tunnels.size === 0) void this.#reopen();
    });
  }

  async #reopen(): Promise<void> {
    try {
      this.#keep(await openWithRetries(this.#url, [...NOT_READY, UNREACHABLE], this.#closing.signal));
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#end.resolve({ message: null, error: error as Error });
    }
  }
}

function endOf(code: number, reason: string): PortEnd {
  if (code === CLOSE.ended) return { message: reason, error: null };
  const { sessionEnded } = ERRORS;
  return { message: null, error: new ServiceError(reason, sessionEnded.code, sessionEnded.status) };
}

/** Pipes bytes in both directions with backpressure. When either end closes, the other one is closed. */
function join(socket: Socket, { stream }: Tunnel): void {
  socket.once('close', () => stream.destroy());
  stream.once('close', () => socket.destroy());
  if (socket.destroyed) stream.destroy();
  socket.pipe(stream);
  stream.pipe(socket);
}

/** Opens a tunnel, and retries with backoff while the error has one of the codes in `retried`. */
async function openWithRetries(
  url: string,
  retried: readonly number[],
  signal: AbortSignal,
): Promise<Tunnel> {
  const backoff = new Backoff();
  const until = performance.now() + RETRY_TIMEOUT_MS;
  for (;;) {
    try {
      return await openTunnel(url);
    } catch (error) {
      if (!(error instanceof ServiceError) || !retried.includes(error.code)) throw error;
      if (performance.now() > until) throw error;
    }
    await delay(backoff.next(0), undefined, { signal });
  }
}
