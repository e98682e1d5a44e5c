/** How often a message is tried before it is given up: over a little more than a day, the first retry after 5 s. */
export const MAX_ATTEMPTS = 8;
const FIRST_RETRY_MS = 5_000;
const FACTOR = 5;
/** Part of each wait that chance adds or takes, so that what failed together is not tried together. */
const JITTER = 0.2;

/** A webhook to which nothing could be delivered for this long is taken out of use. */
export const GIVE_UP_AFTER_MS = 5 * 24 * 3_600_000;

/** HTTP status by which a receiver says that it wants no more. */
const GONE = 410;

/**
 * How long to wait after so many attempts that failed, ms; null: no more, the message is dead.
 * @param chance from 0 to 1
 */
export function retryDelayMs(attempts: number, chance: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  const delay = FIRST_RETRY_MS * FACTOR ** (attempts - 1);
  return Math.round(delay * (1 + JITTER * (2 * chance - 1)));
}

/** Why a webhook is to be taken out of use after an attempt that failed; null: it is not. */
export function reasonToGiveUp(failure: { status: number | null; failingForMs: number }): string | null {
  if (failure.status === GONE) return 'the receiver answered 410: it wants no more messages';
  if (failure.failingForMs < GIVE_UP_AFTER_MS) return null;
  return `nothing could be delivered for ${GIVE_UP_AFTER_MS / 86_400_000} days`;
}
