/** An operation did not finish before its deadline. The message names the operation and may be shown to a client. */
export class TimeoutError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimeoutError';
  }
}

/** A timer that is later than this was delayed by a stand-still of the process, not by its work. */
const STAND_STILL_MS = 250;

/**
 * Calls `onLate` after `ms`, and returns a function that prevents it. If the process or its machine stood still, the
 * answer may have arrived in the meantime, so the deadline is extended once, by the time of the stand-still or by `ms`.
 */
export function startDeadline(ms: number, onLate: () => void): () => void {
  const due = performance.now() + ms;
  let timer = setTimeout(() => {
    const lateMs = performance.now() - due;
    if (lateMs > STAND_STILL_MS) timer = setTimeout(onLate, Math.min(lateMs, ms));
    else onLate();
  }, ms);
  return () => clearTimeout(timer);
}

/**
 * Runs an operation with a signal that is aborted with `signal`, or when `startDeadline` ends.
 * @throws TimeoutError as the reason of the signal
 */
export async function runInTime<T>(
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const stop = startDeadline(ms, () => late.abort(new TimeoutError(`timed out after ${ms / 1000} s`)));
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } finally {
    stop();
  }
}

/**
 * Returns the promise's outcome. The time limit is a `startDeadline`.
 * @param what a clause that follows "timed out after 5 s", such as "the database did not answer"
 * @throws TimeoutError when it takes longer
 */
export async function withDeadline<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `timed out after ${ms / 1000} s: ${what}`;
  const stop = startDeadline(ms, () => reject(new TimeoutError(message)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop();
  }
}
