import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a machine that is busy or that pauses for some seconds. */
const TIMEOUT_MS = 60_000;
/** A long wait polls less often, because the polled process needs the CPU more. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * Polls until the result is neither undefined, null nor false, and returns it.
 * @throws Error that names what did not happen in time
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { deadlineMs = TIMEOUT_MS, everyMs }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + deadlineMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false)
      return seen as Exclude<T, undefined | null | false>;
    if (performance.now() > deadline) throw new Error(`Timed out after ${deadlineMs} ms waiting for ${what}`);
    await delay(everyMs ?? pauseMs);
  }
}

/** Returns the promise's outcome. Rejects with an Error that names what did not happen in time. */
export async function within<T>(what: string, promise: Promise<T>, deadlineMs = TIMEOUT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Timed out after ${deadlineMs} ms waiting for ${what}`)),
    deadlineMs,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
