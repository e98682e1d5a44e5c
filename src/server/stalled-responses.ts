import type { Server, ServerResponse } from 'node:http';

export interface StallLimits {
  /** Time without write progress after which a response is cut, in milliseconds. */
  timeoutMs: number;
  /** The timeout is extended by a second for each `bytesPerSecond` bytes that wait to be sent. */
  bytesPerSecond: number;
  checkMs: number;
}

/** The timeout is that of nginx's send_timeout, the minimum rate that of slow request bodies. */
const LIMITS: StallLimits = { timeoutMs: 60_000, bytesPerSecond: 16 * 1024, checkMs: 5_000 };

interface Progress {
  /** Bytes of the connection that the operating system has taken. */
  sent: number;
  stalledMs: number;
}

/**
 * Closes the connection of a response that its client does not read, because the response stays in memory. A large
 * write counts as progress only when it is complete, so its size extends the timeout. A response that has nothing to
 * send, such as an event stream without events, may last for any time.
 */
export function cutStalledResponses(server: Server, limits: StallLimits = LIMITS): void {
  const open = new Map<ServerResponse, Progress>();
  server.on('request', (_request, response) => {
    open.set(response, { sent: 0, stalledMs: 0 });
    response.once('close', () => open.delete(response));
  });
  let checkedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // Time in which this process itself stood still is not the client's.
    const passedMs = Math.min(now - checkedAt, 2 * limits.checkMs);
    checkedAt = now;
    for (const [response, progress] of open) {
      if (isStalled(response, progress, limits, passedMs)) response.destroy();
    }
  }, limits.checkMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

function isStalled(
  { socket }: ServerResponse,
  progress: Progress,
  limits: StallLimits,
  passedMs: number,
): boolean {
  // A pipelined response has no socket until the previous one is complete.
  const waiting = socket?.writableLength ?? 0;
  const sent = (socket?.bytesWritten ?? 0) - waiting;
  if (waiting === 0 || sent !== progress.sent) {
    progress.sent = sent;
    progress.stalledMs = 0;
    return false;
  }
  progress.stalledMs += passedMs;
  return progress.stalledMs > limits.timeoutMs + (waiting / limits.bytesPerSecond) * 1000;
}
