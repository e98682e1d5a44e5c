import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { PendingConnections, type PendingLimits } from '../util/pending-connections.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { lingerOnClose } from './lingering-close.ts';
import { OpenConnections } from './open-connections.ts';
import { cutSlowBodies } from './slow-bodies.ts';
import { cutStalledResponses } from './stalled-responses.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/**
 * Mozilla's intermediate configuration (Server Side TLS, guideline 5.7): TLS 1.2 and 1.3, and only suites with
 * forward secrecy and authenticated encryption, for any type of certificate key.
 */
const TLS = {
  minVersion: 'TLSv1.2',
  handshakeTimeout: HEADERS_TIMEOUT_MS,
  ciphers: [
    'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305',
    'DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:DHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const;
/**
 * Interval at which connections are checked against their timeout. With Node's default of 30 s they could last four
 * times as long.
 */
const CHECK_MS = 1_000;
export const PENDING_LIMITS: PendingLimits = {
  total: 4_096,
  perAddress: 1_024,
  // Node answers slow headers with 408 at its own timeout, which it checks every second.
  deadlineMs: HEADERS_TIMEOUT_MS + 2 * CHECK_MS,
};
/** Connections that are still busy this long after closing began are closed forcibly. */
const CLOSE_TIMEOUT_MS = 2_000;
/** The same for a server that was drained: new requests go to another server, so the last ones can take longer. */
const DRAINED_CLOSE_TIMEOUT_MS = 8_000;
/**
 * How long a connection may be idle before the server closes it. It is longer than the idle timeout of load balancers
 * (nginx 60 s, AWS 60 s), because a server that closes first may do so just as the balancer sends a request.
 */
const KEEP_ALIVE_MS = 75_000;
/** Time that a client has to read why it was rejected and to close the connection, like nginx's lingering_timeout. */
const LINGER_MS = 5_000;

export interface WebHandlers {
  request: (request: IncomingMessage, response: ServerResponse) => void;
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export interface WebServerOptions {
  host: string;
  port: number;
  tls?: { key: string; cert: string };
  handlers: WebHandlers;
  connectionLimit?: ConnectionLimit;
  /** Shared by the ports of one process. If omitted, the port has a separate instance. */
  pending?: PendingConnections;
}

/** A server that listens at one address, and its connections. */
interface Bound {
  server: Server;
  connections: OpenConnections;
}

/** One listening port, on each of the addresses that the host stands for. */
export class WebServer implements AsyncDisposable {
  readonly port: number;
  private readonly bound: Bound[];
  private isDrained = false;

  private constructor(bound: Bound[], port: number) {
    this.bound = bound;
    this.port = port;
  }

  /**
   * `localhost` may resolve to either loopback address, so a loopback host also binds ::1 if it exists.
   * @throws Error naming the address and port when it cannot be bound
   */
  static async listen(options: WebServerOptions): Promise<WebServer> {
    const isLoopback = options.host === '127.0.0.1' || options.host === 'localhost';
    const first = await bind(isLoopback ? '127.0.0.1' : options.host, options.port, options);
    const { port } = first.server.address() as AddressInfo;
    const bound = [first];
    if (isLoopback) {
      const second = await bind('::1', port, options).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') return null;
        first.server.close();
        throw error;
      });
      if (second) bound.push(second);
    }
    return new WebServer(bound, port);
  }

  /** Continues to serve, but closes each connection after its response, so that clients move to another server. */
  drain(): void {
    this.isDrained = true;
    for (const { connections } of this.bound) connections.drain();
  }

  /** Applies to new connections. @throws Error when key and certificate do not match */
  useCertificate({ key, cert }: { key: string; cert: string }): void {
    for (const { server } of this.bound) (server as TlsServer).setSecureContext({ ...TLS, key, cert });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const timeoutMs = this.isDrained ? DRAINED_CLOSE_TIMEOUT_MS : CLOSE_TIMEOUT_MS;
    await Promise.all(this.bound.map(({ connections }) => connections.close(timeoutMs)));
  }
}

async function bind(
  host: string,
  port: number,
  { tls, handlers, connectionLimit, pending = new PendingConnections(PENDING_LIMITS) }: WebServerOptions,
): Promise<Bound> {
  const options = { connectionsCheckingInterval: CHECK_MS, shouldUpgradeCallback: wantsWebSocket };
  const server = tls ? (createTlsServer({ ...options, ...tls, ...TLS }) as Server) : createServer(options);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  cutSlowBodies(server);
  cutStalledResponses(server);
  lingerOnClose(server);
  connectionLimit?.guard(server);
  pending.guard(server);
  const connections = new OpenConnections(server);
  server.on('request', ({ socket }) => pending.settle(socket));
  server.on('upgrade', ({ socket }) => pending.settle(socket));
  server.on('request', (request, response) => {
    // Not a request that follows the last response of its connection (RFC 9112, section 9.6).
    if (request.socket.writable) handlers.request(request, response);
  });
  // Node removes its own error listener before this event. Without one, a client that resets the connection ends the process.
  server.on('upgrade', (_request, socket) => socket.on('error', () => {}));
  server.on('upgrade', handlers.upgrade);
  server.on('clientError', refuseMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explain(error, host, port, tls ? 'PHONEBOOTH_TLS_PORT' : 'PHONEBOOTH_PORT')),
    );
    server.listen(port, host, resolve);
  });
  return { server, connections };
}

/**
 * Whether a request becomes an `upgrade` event. A request that offers another protocol is answered as usual (RFC 9110,
 * section 7.8): the HTTP client of Java offers h2c with every first request. Versions before Node 24.9 ignore this
 * option, and treat every offer as an upgrade.
 */
const wantsWebSocket = ({ headers }: IncomingMessage): boolean =>
  (headers.upgrade ?? '').split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');

/**
 * Returns an error for the operator that explains why the port cannot be bound. `setting` is the one that chooses the
 * port.
 */
export function explain(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
  const { code = '' } = error;
  const causes: Record<string, string> = {
    EADDRINUSE: `port ${port} of ${host} is in use by another program; set ${setting} to another port`,
    EACCES: `this user is not permitted to listen on port ${port} of ${host}; set ${setting} to a port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; set PHONEBOOTH_HOST to one, or to 0.0.0.0 for all`,
  };
  return causes[code] ? Object.assign(new Error(causes[code]), { code }) : error;
}

/** Requests that Node's parser rejects never reach a route. They also get an error in the envelope format. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Before the handshake is complete no response can be sent: it would wait for the handshake.
  const isHandshake = /^ERR_(SSL|TLS)_/.test(error.code ?? '');
  if (!socket.writable || error.code === 'ECONNRESET' || isHandshake) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'the request headers are too large; the limit is 16 KiB']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'the request did not arrive in time; send it again over a faster connection']
        : [400, 'the request is not valid HTTP/1.1'];
  writeResponse(socket, status as number, { code: 40000, message: message as string, data: {} });
}

/**
 * Writes a response to a bare socket. The client closes the socket afterwards, or the server does after a timeout.
 */
export function writeResponse(
  socket: Duplex,
  status: number,
  body: { code: number; message: string; data: object },
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
