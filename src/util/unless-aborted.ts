import { addAbortListener } from 'node:events';

/**
 * Settles as the promise does, or rejects with the signal's reason as soon as the signal is aborted. A later rejection of
 * the promise is ignored.
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {});
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  using _aborting = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([promise, aborted]);
}
