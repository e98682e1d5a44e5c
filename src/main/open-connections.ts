import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endsOf } from '../util/ends-of.ts';

interface Connection {
  socket: Socket;
  /** Requests that have no whole answer yet. */
  underWay: number;
}

/**
 * A server's connections, so that it closes without waiting for those that ask nothing. Node's own
 * `closeIdleConnections` spares one that has sent nothing yet, as browsers keep some, and its `closeAllConnections` one that
 * has not ended its handshake; and who is answered after it keeps its connection.
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
    // A WebSocket has whoever took it to close it
    server.on('upgrade', (request) => this.#begin(request));
  }

  /**
   * Goes on accepting connections, but tells every client with `Connection: close` to send its next request on another one
   * (RFC 9112, section 9.6). A client that obeys never sends a request to a server that is gone.
   */
  drain(): void {
    this.#isDraining = true;
    for (const response of this.#responses) endConnectionWith(response);
  }

  /** Takes no more; each connection is closed when nothing is under way on it, and cut off after that time. */
  async close(deadlineMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#isClosing = true;
    this.drain();
    for (const { socket, underWay } of this.#open.values()) if (underWay === 0) socket.destroy();
    const cut = setTimeout(() => {
      for (const { socket } of this.#open.values()) socket.destroy();
    }, deadlineMs);
    await closed;
    clearTimeout(cut);
  }

  #add(socket: Socket): void {
    const ends = endsOf(socket);
    this.#open.set(ends, { socket, underWay: 0 });
    socket.once('close', () => {
      if (this.#open.get(ends)?.socket === socket) this.#open.delete(ends);
    });
  }

  /** Answers what is to be called when the request was answered. */
  #begin({ socket }: IncomingMessage): () => void {
    const connection = this.#open.get(endsOf(socket));
    if (!connection) return () => {};
    connection.underWay += 1;
    return () => {
      connection.underWay -= 1;
      if (this.#isClosing && connection.underWay === 0) socket.destroySoon();
    };
  }
}

function endConnectionWith(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
