import type { IncomingMessage, Server } from 'node:http';

export interface BodyLimits {
  /** What every body has, ms; it has a second more for each `bytesPerSecond` that have come. */
  timeoutMs: number;
  bytesPerSecond: number;
  checkMs: number;
}

/** As Apache's mod_reqtimeout: a time, and a least rate from then on. */
const LIMITS: BodyLimits = { timeoutMs: 30_000, bytesPerSecond: 16 * 1024, checkMs: 5_000 };

/**
 * Gives up requests whose body trickles in, as `clientError` with the code of Node's own limit. That one is a time for
 * the whole of any request: enough for an upload of gigabytes, it would be an hour for every idler.
 */
export function cutSlowBodies(server: Server, limits: BodyLimits = LIMITS): void {
  server.requestTimeout = 0;
  server.on('request', (request: IncomingMessage) => {
    const { headers } = request;
    if (headers['transfer-encoding'] === undefined && !Number(headers['content-length'] ?? 0)) return;
    watch(server, request, limits);
  });
}

function watch(server: Server, request: IncomingMessage, limits: BodyLimits): void {
  const { socket } = request;
  const startedAt = performance.now();
  const before = socket.bytesRead;
  const timer = setInterval(() => {
    const allowed = limits.timeoutMs + ((socket.bytesRead - before) / limits.bytesPerSecond) * 1000;
    const isLate = !request.complete && performance.now() - startedAt > allowed;
    if (isLate || request.complete) stop();
    if (isLate) {
      const error = Object.assign(new Error('the body is too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
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
