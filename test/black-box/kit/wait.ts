import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks again and again until there is something to see (anything but undefined, null and false).
 * @throws Error naming what did not come in time.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { deadlineMs = 30_000, everyMs = 25 }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as Exclude<T, undefined | null | false>;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await delay(everyMs);
  }
}

/** The promise's outcome, or an Error naming what did not come in time. */
export async function within<T>(what: string, promise: Promise<T>, deadlineMs = 30_000): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: not within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
