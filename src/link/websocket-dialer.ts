import type { TLSSocket } from 'node:tls';
import { type ClientOptions, WebSocket } from 'ws';
import type { Log } from '../util/log.ts';
import { type Link, type LinkDialer, LinkError, type LinkHello } from './link.ts';
import { encodeHello } from './websocket-hello.ts';
import { KEEPALIVE, type Keepalive, SOCKET_OPTIONS, WebSocketLink } from './websocket-link.ts';
import { connectPinned, type PinnedAddress, parsePinnedAddress } from './websocket-pin.ts';

/** Time for the TCP connection, the TLS handshake and the upgrade together. */
const DIAL_TIMEOUT_MS = 5_000;

/** The agent's end. Opens one TLS connection and WebSocket for each link. */
export class WebSocketDialer implements LinkDialer {
  private readonly options: { log: Log; keepalive: Keepalive };

  constructor(options: { log: Log; keepalive?: Keepalive }) {
    this.options = { keepalive: KEEPALIVE, ...options };
  }

  async dial(
    ingest: string,
    given: LinkHello,
    { timeoutMs = DIAL_TIMEOUT_MS }: { timeoutMs?: number } = {},
  ): Promise<Link> {
    const hello = Object.freeze({ ...given });
    const address = parsePinnedAddress(ingest);
    const expiry = new AbortController();
    const timer = setTimeout(() => expiry.abort(), timeoutMs);
    try {
      const transport = await connectPinned(address, expiry.signal);
      return await this.upgrade(transport, address, hello, expiry.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  private upgrade(
    transport: TLSSocket,
    { url }: PinnedAddress,
    hello: LinkHello,
    signal: AbortSignal,
  ): Promise<Link> {
    const { promise, resolve, reject } = Promise.withResolvers<Link>();
    const options: ClientOptions & typeof SOCKET_OPTIONS = {
      ...SOCKET_OPTIONS,
      headers: { authorization: encodeHello(hello) },
      createConnection: () => transport,
      // A zero key leaves the bytes unchanged. Masking keeps proxies from misinterpreting frames as requests; here
      // TLS prevents that.
      generateMask: (mask) => mask.fill(0),
    };
    const socket = new WebSocket(url, options);
    const fail = (problem: string) => {
      transport.destroy();
      reject(new LinkError(`${url} ${problem}`));
    };
    const failed = (error: Error) => fail(`could not open a link: ${error.message}`);
    socket.on('error', failed);
    socket.on('unexpected-response', (_request, { statusCode }) =>
      fail(statusCode === 401 ? 'rejected the link' : `answered ${statusCode}`),
    );
    signal.addEventListener('abort', () => fail('did not answer in time'), { once: true });
    socket.once('open', () => {
      socket.off('error', failed);
      resolve(new WebSocketLink(socket, transport, { hello, ...this.options }));
    });
    return promise;
  }
}
