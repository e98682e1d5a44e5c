import { EXPIRY_WARNINGS_S } from '../contract/session.ts';

/** Tells how many seconds are left, at the times of the contract. A warning whose time has passed is not made up for. */
export class ExpiryWarnings {
  private readonly warn: (seconds: number) => void;
  private timers: NodeJS.Timeout[] = [];

  constructor(warn: (seconds: number) => void) {
    this.warn = warn;
  }

  /** Starts anew with this much time left. */
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
