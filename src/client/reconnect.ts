import { CLOSE, CLOSE_CODES } from '../contract/sockets/close-codes.ts';

/** What a client should do after a session's socket was closed. */
export type AfterClose = 'session-ended' | 'taken-over' | 'reconnect';

const FINAL: ReadonlySet<number> = new Set(
  Object.values(CLOSE_CODES).flatMap(({ code, reconnect }) => (reconnect ? [] : [code])),
);

/**
 * A close code that is not in the contract (such as 1006 for a lost connection) means that the client should
 * reconnect.
 */
export function afterClose(code: number): AfterClose {
  if (code === CLOSE.takenOver) return 'taken-over';
  return FINAL.has(code) ? 'session-ended' : 'reconnect';
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;
/** After a connection that lasted this long, the client reconnects without delay. */
const STABLE_MS = 5_000;

/**
 * Exponential backoff with jitter, so that the clients of a gateway that restarts do not reconnect simultaneously.
 */
export class Backoff {
  #failures = 0;
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /**
   * Returns the milliseconds until the next attempt, after a connection that was open for `openMs` (0 when it never
   * opened).
   */
  next(openMs: number): number {
    if (openMs >= STABLE_MS) this.#failures = 0;
    const full = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 10);
    return full * (0.5 + this.#random() / 2);
  }
}
