import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './slow-bodies.ts';

export interface LingerLimits {
  /** Maximum time for which the rest of a body is discarded, in milliseconds. */
  totalMs: number;
  /** Maximum time without data from the client. */
  idleMs: number;
  /** Maximum number of discarded bytes. */
  maxBytes: number;
  checkMs: number;
}

/** The times are nginx's lingering_time and lingering_timeout. */
const LIMITS: LingerLimits = { totalMs: 30_000, idleMs: 5_000, maxBytes: 1024 ** 3, checkMs: 1_000 };

/**
 * Delivers responses that are sent before the whole body of their request has arrived. If the server closed such a
 * connection at once, the data that the client is still sending would cause a reset, and the client could lose the
 * response: its system discards what was received, and a client that sends everything before it reads fails earlier.
 * Instead, the server only ends its own side of the connection, and discards the rest of the body within the limits.
 */
export function lingerOnClose(server: Server, limits: LingerLimits = LIMITS): void {
  /** The last request with a body of each connection. */
  const lastOf = new WeakMap<Socket, IncomingMessage>();
  server.on('request', (request, response) => {
    if (!hasBody(request)) return;
    const { socket } = request;
    const isFirst = !lastOf.has(socket);
    lastOf.set(socket, request);
    if (isFirst) {
      const { destroySoon } = socket;
      // Node calls it when it has sent a response with `Connection: close`.
      socket.destroySoon = () => {
        if (lastOf.get(socket)!.complete) destroySoon.call(socket);
        else socket.end();
      };
    }
    response.once('finish', () => {
      if (!request.complete) discardRest(request, limits);
    });
  });
}

function discardRest(request: IncomingMessage, { totalMs, idleMs, maxBytes, checkMs }: LingerLimits): void {
  const { socket } = request;
  const [startedAt, before] = [performance.now(), socket.bytesRead];
  let [receivedAt, received] = [startedAt, before];
  const timer = setInterval(() => {
    const now = performance.now();
    if (socket.bytesRead !== received) [receivedAt, received] = [now, socket.bytesRead];
    const isOver = now - startedAt > totalMs || now - receivedAt > idleMs || received - before > maxBytes;
    if (isOver) socket.destroy();
  }, checkMs);
  const stop = () => clearInterval(timer);
  socket.once('close', stop);
  request.once('end', () => {
    stop();
    socket.off('close', stop);
    if (socket.writableEnded) socket.destroy();
  });
  request.unpipe();
  request.resume();
}
