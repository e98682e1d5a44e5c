import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a machine that is busy or that pauses for some seconds. */
const TIMEOUT_MS = 120_000;
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

/** Pause between two looks at something that is expected to stay the same. */
const LOOK_MS = 50;

/**
 * Waits until `look` has returned the same for this long. Time in which this process, or the whole machine, stood still
 * does not count, because what is looked at may have stood still as well.
 */
export async function unchanged<T>(
  what: string,
  look: () => T | Promise<T>,
  { forMs, isSame = Object.is }: { forMs: number; isSame?: (one: T, other: T) => boolean },
): Promise<T> {
  let last = await look();
  let sameMs = 0;
  let lookedAt = performance.now();
  const hasStayed = async () => {
    const next = await look();
    const now = performance.now();
    sameMs = isSame(next, last) ? sameMs + Math.min(now - lookedAt, 4 * LOOK_MS) : 0;
    lookedAt = now;
    last = next;
    return sameMs > forMs;
  };
  await until(what, hasStayed, { everyMs: LOOK_MS });
  return last;
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
