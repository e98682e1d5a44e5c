import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { Log } from '../util/log.ts';
import type { Link, LinkHello, LinkListener } from './link.ts';
import { parseHello } from './websocket-hello.ts';
import { type IngestServer, refuseUpgrade } from './websocket-ingest.ts';
import { KEEPALIVE, type Keepalive, SOCKET_OPTIONS, WebSocketLink } from './websocket-link.ts';

const MAX_LINKS = 10_000;

/**
 * The control plane's end. Accepts links at `/link/<name>` of an ingest server, which stays open when this listener
 * closes.
 */
export class WebSocketListener implements LinkListener {
  readonly ingest: string;
  private readonly server = new WebSocketServer({ noServer: true, clientTracking: false, ...SOCKET_OPTIONS });
  private readonly options: { log: Log; keepalive: Keepalive; maxLinks: number };
  private readonly links = new Set<WebSocketLink>();
  private readonly leave: () => void;
  private handlers: { decide: (hello: LinkHello) => boolean; onLink: (link: Link) => void } | null = null;

  /** @throws Error when the name is taken. */
  constructor(
    server: IngestServer,
    name: string,
    options: { log: Log; keepalive?: Keepalive; maxLinks?: number },
  ) {
    const path = `/link/${name}`;
    this.options = { keepalive: KEEPALIVE, maxLinks: MAX_LINKS, ...options };
    this.ingest = server.address(path);
    this.leave = server.onUpgrade(path, (request, socket, head) => this.take(request, socket, head));
  }

  accept(decide: (hello: LinkHello) => boolean, onLink: (link: Link) => void): void {
    this.handlers = { decide, onLink };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leave();
    this.handlers = null;
    for (const link of this.links) link.close();
  }

  private take(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { log, keepalive, maxLinks } = this.options;
    const hello = parseHello(request.headers.authorization);
    if (this.links.size >= maxLinks)
      refuseUpgrade(socket, 503, 'this gateway has reached its limit of links');
    else if (!hello) refuseUpgrade(socket, 400, 'the Authorization header does not contain a valid hello');
    else if (!this.handlers?.decide(hello)) refuseUpgrade(socket, 401, 'this link was not requested');
    else {
      this.server.handleUpgrade(request, socket, head, (webSocket) => {
        const link = new WebSocketLink(webSocket, socket, { hello, keepalive, log });
        this.links.add(link);
        webSocket.once('close', () => this.links.delete(link));
        this.handlers?.onLink(link);
      });
    }
  }
}
