import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endpointsOf } from '../util/endpoints-of.ts';

interface Connection {
  socket: Socket;
  /** Number of requests without a complete response. */
  activeRequests: number;
}

/**
 * Tracks the connections of a server, so that it can close without waiting for idle ones. Node's
 * `closeIdleConnections` does not close a connection that has sent nothing yet, which browsers keep open. Its
 * `closeAllConnections` does not close one whose handshake is incomplete. A connection that is answered after the
 * call also stays open.
 */
export class OpenConnections {
  readonly #server: Server;
  readonly #open = new Map<string, Connection>();
  /** Responses that are not complete. */
  readonly #responses = new Set<ServerResponse>();
  #isDraining = false;
  #isClosing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#add(socket));
    server.on('request', (request, response) => {
      const end = this.#begin(request);
      this.#responses.add(response);
      if (this.#isDraining) endConnectionWith(response);
      response.once('close', () => {
        this.#responses.delete(response);
        end();
      });
    });
    // The handler of the WebSocket closes it.
    server.on('upgrade', (request) => this.#begin(request));
  }

  /**
   * Continues to accept connections, but adds `Connection: close` to responses, so that clients send their next
   * request on a new connection (RFC 9112, section 9.6). A client that complies never sends a request to a server
   * that has stopped.
   */
  drain(): void {
    this.#isDraining = true;
    for (const response of this.#responses) endConnectionWith(response);
  }

  /**
   * Stops accepting connections. Each connection is closed when it has no request in progress, and forcibly after the
   * deadline.
   */
  async close(deadlineMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#isClosing = true;
    this.drain();
    for (const { socket, activeRequests } of this.#open.values()) if (activeRequests === 0) socket.destroy();
    const cut = setTimeout(() => {
      for (const { socket } of this.#open.values()) socket.destroy();
    }, deadlineMs);
    await closed;
    clearTimeout(cut);
  }

  #add(socket: Socket): void {
    const ends = endpointsOf(socket);
    this.#open.set(ends, { socket, activeRequests: 0 });
    socket.once('close', () => {
      if (this.#open.get(ends)?.socket === socket) this.#open.delete(ends);
    });
  }

  /** Returns a function to call when the request has been answered. */
  #begin({ socket }: IncomingMessage): () => void {
    const connection = this.#open.get(endpointsOf(socket));
    if (!connection) return () => {};
    connection.activeRequests += 1;
    return () => {
      connection.activeRequests -= 1;
      if (this.#isClosing && connection.activeRequests === 0) socket.destroySoon();
    };
  }
}

function endConnectionWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
