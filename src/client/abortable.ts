import { deferred } from './deferred.ts';

/** The promise's outcome, unless the signal is aborted first: then what it was aborted with is thrown. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  // Whatever it becomes, nobody may be left to hear of it.
  promise.catch(() => {});
  signal.throwIfAborted();
  const aborted = deferred<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
