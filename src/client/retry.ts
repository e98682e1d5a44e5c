import { pause } from './event-stream.ts';
import { Backoff } from './reconnect.ts';
import { ServiceError } from './service-error.ts';

/** A `Retry-After` longer than this is not waited for. */
const MAX_WAIT_MS = 30_000;

export interface RetryOptions {
  /** Maximum number of retries after the first attempt. */
  retries: number;
  signal?: AbortSignal | undefined;
}

/**
 * Retries after temporary failures: the service could not be reached, was unavailable for a moment, or limited the
 * rate. Only for operations that can be repeated safely.
 * @throws the error of the last attempt, or the signal's reason when it is aborted
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

/** Returns the milliseconds until the next attempt, or null when another attempt would not help. */
function waitBefore(error: unknown, backoff: Backoff): number | null {
  if (!(error instanceof ServiceError) || !isTransient(error)) return null;
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  return asked > MAX_WAIT_MS ? null : Math.max(asked, backoff.next(0));
}

/** Whether the service did not respond, or it or a proxy in front of it failed. The request itself is not at fault. */
export const isServiceFailure = ({ status }: ServiceError): boolean => status === 0 || status >= 500;

/** Whether the service cannot be reached or is unavailable for a moment. An internal error (500) is likely to recur. */
export const isOutage = (error: ServiceError): boolean => isServiceFailure(error) && error.status !== 500;

/** Whether another attempt is likely to succeed soon: the outage ends, or the rate limit admits it. */
export const isTransient = (error: ServiceError): boolean => isOutage(error) || error.kind === 'rateLimited';
