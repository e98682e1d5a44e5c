/** An operation did not finish before its deadline. The message names the operation and may be shown to a client. */
export class TimeoutError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimeoutError';
  }
}

/**
 * Returns the promise's outcome.
 * @param what a clause that follows "timed out after 5 s", such as "the database did not answer"
 * @throws TimeoutError when it takes longer
 */
export async function withDeadline<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `timed out after ${ms / 1000} s: ${what}`;
  const timer = setTimeout(() => reject(new TimeoutError(message)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
