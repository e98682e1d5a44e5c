/**
 * Sends a request, and sends it again every `everyMs` until there is an answer. Several processes serve a request,
 * and the one that received it may hang while the next one works. The first outcome counts: an answer, or the failure
 * of the first request, which is the deadline. Use this only for requests that are safe to repeat.
 */
export async function hedge<T>(ask: () => Promise<T>, everyMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const once = () => void ask().then(resolve, reject);
  const timer = setInterval(once, everyMs);
  once();
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
