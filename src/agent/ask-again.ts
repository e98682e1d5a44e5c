/**
 * Asks, and asks again every so often while there is no answer: of the several that serve a question, the one that took
 * it may stand still, and the next may not. Whatever comes first counts, an answer or the first question's failure,
 * which is the deadline. Only for what may be done twice.
 */
export async function askAgain<T>(ask: () => Promise<T>, everyMs: number): Promise<T> {
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
