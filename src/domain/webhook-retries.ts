/**
 * Maximum number of delivery attempts per message. They span a little more than a day; the first retry follows after
 * 5 s.
 */
export const MAX_ATTEMPTS = 8;
const FIRST_RETRY_MS = 5_000;
const FACTOR = 5;
/**
 * Random share added to or subtracted from each delay, so that messages that failed together are not retried
 * together.
 */
const JITTER = 0.2;

/** A webhook is disabled when no delivery has succeeded for this long. */
export const GIVE_UP_AFTER_MS = 5 * 24 * 3_600_000;

/** HTTP status with which a receiver declines all further messages. */
const GONE = 410;

/**
 * Returns the delay after this many failed attempts, ms; null when the limit is reached and the message is not
 * retried again.
 * @param chance random number from 0 to 1
 */
export function retryDelayMs(attempts: number, chance: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  const delay = FIRST_RETRY_MS * FACTOR ** (attempts - 1);
  return Math.round(delay * (1 + JITTER * (2 * chance - 1)));
}

/** Why a webhook is disabled after a failed attempt; null when it stays enabled. */
export function reasonToGiveUp(failure: { status: number | null; failingForMs: number }): string | null {
  if (failure.status === GONE) return 'the receiver answered 410 (Gone)';
  if (failure.failingForMs < GIVE_UP_AFTER_MS) return null;
  return `all deliveries failed for ${GIVE_UP_AFTER_MS / 86_400_000} days`;
}
