/** What a bucket is like: `burst` at once, and `perSecond` on average. */
export interface Rate {
  perSecond: number;
  burst: number;
}

/** A rate limit that allows bursts. */
export class TokenBucket {
  private readonly rate: Rate;
  private readonly now: () => number;
  private tokens: number;
  private filledAt: number;

  /** @param options `now`: milliseconds of a clock that never goes back */
  constructor({ now = () => performance.now(), ...rate }: Rate & { now?: () => number }) {
    this.rate = rate;
    this.now = now;
    this.tokens = rate.burst;
    this.filledAt = now();
  }

  /** Takes one, or says that there is none. */
  take(): boolean {
    if (this.fill() < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes what was used elsewhere, whether or not it is there: the debt is paid off before anything more is let through. */
  spend(count: number): void {
    this.tokens = this.fill() - count;
  }

  /** How many may be taken now. */
  get left(): number {
    return Math.max(0, Math.floor(this.fill()));
  }

  /** Until so many may be taken, seconds. */
  secondsUntil(count: number): number {
    return Math.max(0, (count - this.fill()) / this.rate.perSecond);
  }

  private fill(): number {
    const now = this.now();
    const { burst, perSecond } = this.rate;
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) / 1000) * perSecond);
    this.filledAt = now;
    return this.tokens;
  }
}
