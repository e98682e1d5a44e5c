import { EXPIRY_WARNINGS_S } from '../contract/http/session.ts';

/**
 * Calls `warn` with the remaining seconds at the times that the contract lists. A warning whose time has already
 * passed is skipped.
 */
export class ExpiryWarnings {
  private readonly warn: (seconds: number) => void;
  private timers: NodeJS.Timeout[] = [];

  constructor(warn: (seconds: number) => void) {
    this.warn = warn;
  }

  /** Restarts the warnings with this much time left. */
  arm(remainingMs: number): void {
    this.clear();
    for (const seconds of EXPIRY_WARNINGS_S) {
      const wait = remainingMs - seconds * 1000;
      if (wait > 0) this.timers.push(setTimeout(this.warn, wait, seconds));
    }
  }

  clear(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
  }
}
