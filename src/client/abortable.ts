import { deferred } from './deferred.ts';

/** Settles as the promise does, or throws the signal's reason if the signal is aborted first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  // The caller may stop waiting before the promise settles; a later rejection must not be reported as unhandled.
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
