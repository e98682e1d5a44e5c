import type { IncomingMessage, Server } from 'node:http';

export interface BodyLimits {
  /**
   * Time that every body has, in milliseconds. It is extended by a second for each `bytesPerSecond` bytes received.
   */
  timeoutMs: number;
  bytesPerSecond: number;
  checkMs: number;
}

/** Like Apache's mod_reqtimeout: an initial timeout, then a minimum rate. */
const LIMITS: BodyLimits = { timeoutMs: 30_000, bytesPerSecond: 16 * 1024, checkMs: 5_000 };

/**
 * Aborts requests whose body arrives too slowly, as a `clientError` with the error code of Node's own timeout. Node's
 * timeout is fixed for all requests: a value that allows an upload of gigabytes would give every slow client an hour.
 */
export function cutSlowBodies(server: Server, limits: BodyLimits = LIMITS): void {
  server.requestTimeout = 0;
  server.on('request', (request: IncomingMessage) => {
    if (hasBody(request)) watch(server, request, limits);
  });
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function watch(server: Server, request: IncomingMessage, limits: BodyLimits): void {
  const { socket } = request;
  const startedAt = performance.now();
  const before = socket.bytesRead;
  const timer = setInterval(() => {
    const allowed = limits.timeoutMs + ((socket.bytesRead - before) / limits.bytesPerSecond) * 1000;
    const isLate = !request.complete && performance.now() - startedAt > allowed;
    if (isLate || request.complete) stop();
    if (isLate) {
      const error = Object.assign(new Error('the request body arrives too slowly'), {
        code: 'ERR_HTTP_REQUEST_TIMEOUT',
      });
      server.emit('clientError', error, socket);
    }
  }, limits.checkMs);
  const stop = () => {
    clearInterval(timer);
    socket.off('close', stop);
  };
  request.once('end', stop);
  socket.once('close', stop);
}
