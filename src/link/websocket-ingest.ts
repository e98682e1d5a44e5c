import { X509Certificate } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../util/log.ts';
import { PendingConnections, type PendingLimits } from '../util/pending-connections.ts';
import { pinOf } from './websocket-pin.ts';

export interface IngestOptions {
  /** Address and port to listen on; port 0 picks a free port. */
  host: string;
  port: number;
  /**
   * PEM. Agents compare the certificate with the pin in the address, so it can be regenerated at each start.
   */
  cert: string;
  key: string;
  /** The origin that agents dial, `wss://<host>:<port>`; by default the address that the server listens on. */
  origin?: string | undefined;
  log: Log;
  limits?: Partial<IngestLimits>;
}

export interface IngestLimits {
  connections: number;
  /** Limits for connections that have not sent their first request, which contains the ticket. */
  pending: PendingLimits;
  /** How long connections may take to close on shutdown, ms. */
  disposeMs: number;
}

const LIMITS: IngestLimits = {
  connections: 20_000,
  pending: { total: 2_048, perAddress: 512, deadlineMs: 5_000 },
  disposeMs: 3_000,
};
/** A request consists of the request line, the hello and few other headers. */
const MAX_HEADER_BYTES = 8 * 1024;

type Upgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/**
 * The server that agents dial: an HTTPS server with its own port and origin, separate from the server for clients. It
 * only handles the upgrade requests of its listeners, each at a path.
 */
export class IngestServer implements AsyncDisposable {
  private readonly server: Server;
  private readonly limits: IngestLimits;
  private readonly upgrades = new Map<string, Upgrade>();
  private readonly pending: PendingConnections;
  private readonly sockets = new Set<Socket>();
  private readonly pin: string;
  origin = '';

  private constructor(options: IngestOptions) {
    this.limits = { ...LIMITS, ...options.limits };
    this.pin = pinOf(new X509Certificate(options.cert));
    const { key, cert } = options;
    this.server = createServer({ key, cert, minVersion: 'TLSv1.3', maxHeaderSize: MAX_HEADER_BYTES });
    this.server.maxConnections = this.limits.connections;
    this.pending = new PendingConnections(this.limits.pending);
    this.server.on('connection', (socket) => this.take(socket as Socket));
    this.server.on('upgrade', (request, socket, head) => this.upgrade(request, socket as Socket, head));
    this.server.on('request', (request, response) => {
      this.pending.settle(request.socket);
      response.writeHead(404, { connection: 'close' }).end();
    });
  }

  /** @throws Error when the port is in use, or the key or the certificate is invalid. */
  static async open(options: IngestOptions): Promise<IngestServer> {
    const ingest = new IngestServer(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    ingest.server.once('error', reject);
    ingest.server.listen(options.port, options.host, resolve);
    await promise;
    ingest.server.off('error', reject);
    ingest.server.on('error', (error) => options.log.error({ err: error }, 'the ingest server failed'));
    const { address, family, port } = ingest.server.address() as AddressInfo;
    ingest.origin = options.origin ?? `wss://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    return ingest;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The URL of a path on this server, with the pin of its certificate (see PinnedAddress). */
  address(path: string): string {
    return `${this.origin}${path}#${this.pin}`;
  }

  /**
   * The handler owns the sockets that it gets, and must close them. Returns a function that removes the handler.
   * @throws Error when the path is taken.
   */
  onUpgrade(path: string, handler: Upgrade): () => void {
    if (this.upgrades.has(path)) throw new Error(`${path} already has a listener`);
    this.upgrades.set(path, handler);
    return () => {
      if (this.upgrades.get(path) === handler) this.upgrades.delete(path);
    };
  }

  /** Must be called after its listeners have been closed. Links that are still closing get a grace period. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.server.close(() => resolve());
    this.server.closeAllConnections();
    this.pending.close();
    const timer = setTimeout(() => {
      for (const socket of this.sockets) socket.destroy();
    }, this.limits.disposeMs);
    await promise;
    clearTimeout(timer);
  }

  private take(socket: Socket): void {
    socket.on('error', () => {});
    this.pending.add(socket);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => {});
    this.pending.settle(socket);
    const handler = this.upgrades.get(request.url ?? '');
    if (handler) handler(request, socket, head);
    else refuseUpgrade(socket, 404, 'this path does not accept links');
  }
}

/** Rejects an upgrade with this status, and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: 400 | 401 | 404 | 503, reason: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`,
  );
}
