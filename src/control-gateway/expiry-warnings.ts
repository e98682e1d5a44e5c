import { EXPIRY_WARNINGS_S } from '../contract/http/session.ts';

/**
 * Calls `warn` with the remaining seconds at the times that the contract lists. A warning whose time has already
 * passed is skipped.
 */
export class ExpiryWarnings {
  private readonly warn: (seconds: number) => void;
  /** Of the next warning. */
  private timer: NodeJS.Timeout | undefined;

  constructor(warn: (seconds: number) => void) {
    this.warn = warn;
  }

  /** Restarts the warnings with this much time left. */
  arm(remainingMs: number): void {
    this.armBefore(performance.now() + remainingMs, Number.POSITIVE_INFINITY);
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  /** Waits for the first warning that is still to come and has fewer seconds left than `previous`. */
  private armBefore(end: number, previous: number): void {
    this.clear();
    const remaining = end - performance.now();
    const next = EXPIRY_WARNINGS_S.find((seconds) => seconds < previous && remaining > seconds * 1000);
    if (next === undefined) return;
    this.timer = setTimeout(
      () => {
        this.armBefore(end, next);
        this.warn(next);
      },
      remaining - next * 1000,
    );
  }
}
