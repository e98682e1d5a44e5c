import { pause } from './event-stream.ts';
import { Backoff } from './reconnect.ts';
import { ServiceError } from './service-error.ts';

/** A service that asks for more patience than this is not waited for. */
const LONGEST_WAIT_MS = 30_000;

export interface RetryOptions {
  /** How often after the first time. */
  retries: number;
  signal?: AbortSignal | undefined;
}

/**
 * Tries again what failed for a reason that passes: not reached, out of service for a moment, or too many requests. Only
 * for what may be done twice.
 * @throws what the last attempt threw, or what the signal was aborted with
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, signal } = options;
  const backoff = new Backoff();
  for (let left = retries; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = left > 0 ? waitBefore(error, backoff) : null;
      if (waitMs === null) throw error;
      await pause(waitMs, signal);
      signal?.throwIfAborted();
    }
  }
}

/** Milliseconds until the next attempt; null when another would not help. */
function waitBefore(error: unknown, backoff: Backoff): number | null {
  if (!(error instanceof ServiceError)) return null;
  if (!['unreachable', 'unavailable', 'rateLimited'].includes(error.kind)) return null;
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  return asked > LONGEST_WAIT_MS ? null : Math.max(asked, backoff.next(0));
}
