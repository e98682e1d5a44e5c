import { EXPIRY_WARNINGS_S } from '../contract/http/session.ts';
import type { SharedTimer } from '../util/shared-timer.ts';

/**
 * Calls `warn` with the remaining seconds at the times that the contract lists. A warning whose time has already
 * passed is skipped.
 */
export class ExpiryWarnings {
  private readonly timer: SharedTimer<ExpiryWarnings>;
  private readonly warn: (seconds: number) => void;
  /** On the monotonic clock. */
  private endsAt = 0;
  /** The remaining seconds at the next warning. */
  private next = 0;

  /** `timer` calls `fire`. */
  constructor(timer: SharedTimer<ExpiryWarnings>, warn: (seconds: number) => void) {
    this.timer = timer;
    this.warn = warn;
  }

  /** Restarts the warnings with this much time left. */
  arm(remainingMs: number): void {
    this.endsAt = performance.now() + remainingMs;
    this.armBefore(Number.POSITIVE_INFINITY);
  }

  fire(): void {
    const seconds = this.next;
    this.armBefore(seconds);
    this.warn(seconds);
  }

  clear(): void {
    this.timer.delete(this);
  }

  /** Waits for the first warning that is still to come and has fewer seconds left than `previous`. */
  private armBefore(previous: number): void {
    this.clear();
    const remaining = this.endsAt - performance.now();
    const next = EXPIRY_WARNINGS_S.find((seconds) => seconds < previous && remaining > seconds * 1000);
    if (next === undefined) return;
    this.next = next;
    this.timer.set(this, remaining - next * 1000);
  }
}
