import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a machine that is busy or stands still for some seconds. */
const PATIENCE_MS = 60_000;
/** A wait that takes long is polled less often: what is polled needs the processor more. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * Polls until there is something to see (anything but undefined, null and false).
 * @throws Error naming what did not come in time.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { deadlineMs = PATIENCE_MS, everyMs }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + deadlineMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as Exclude<T, undefined | null | false>;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${deadlineMs} ms`);
    await delay(everyMs ?? pauseMs);
  }
}

/** The promise's outcome, or an Error naming what did not come in time. */
export async function within<T>(what: string, promise: Promise<T>, deadlineMs = PATIENCE_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: not within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
