/** A rate limit: bursts of at most `burst`, and `perSecond` on average. */
export interface Rate {
  perSecond: number;
  burst: number;
}

const monotonicNow = () => performance.now();

/** A token bucket: a rate limit that allows bursts. */
export class TokenBucket {
  private readonly rate: Rate;
  private readonly now: () => number;
  private tokens: number;
  private filledAt: number;

  /** @param options `now` is a monotonic clock in milliseconds */
  constructor(options: Rate & { now?: () => number }) {
    this.rate = options;
    this.now = options.now ?? monotonicNow;
    this.tokens = options.burst;
    this.filledAt = this.now();
  }

  /** Takes a token. Returns false when there is none. */
  take(): boolean {
    if (this.fill() < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /**
   * Deducts tokens that were used elsewhere. The balance may become negative; it must be positive again before `take`
   * succeeds.
   */
  spend(count: number): void {
    this.tokens = this.fill() - count;
  }

  /** The number of tokens that can be taken now. */
  get left(): number {
    return Math.max(0, Math.floor(this.fill()));
  }

  /** Returns the seconds until this many tokens are available. */
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
