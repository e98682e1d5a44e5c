/** A rate limit that allows bursts: `burst` at once, and `perSecond` on average. */
export class TokenBucket {
  private readonly perSecond: number;
  private readonly burst: number;
  private readonly now: () => number;
  private tokens: number;
  private filledAt: number;

  constructor(options: { perSecond: number; burst: number; now?: () => number }) {
    this.perSecond = options.perSecond;
    this.burst = options.burst;
    this.now = options.now ?? (() => performance.now());
    this.tokens = options.burst;
    this.filledAt = this.now();
  }

  /** Takes one, or says that there is none. */
  take(): boolean {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
