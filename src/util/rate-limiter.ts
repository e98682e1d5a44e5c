import { type Rate, TokenBucket } from './token-bucket.ts';

/** The state of a subject's token bucket. */
export interface BucketState {
  /** Whether the request is accepted. */
  isAdmitted: boolean;
  /** How many more requests would be accepted now. */
  left: number;
  /** Seconds until the whole burst is available. */
  fullInS: number;
  /** Seconds until one request would be accepted. */
  nextInS: number;
}

/**
 * Applies one rate limit to each of many subjects. It tracks at most `maxSubjects`: the least recently used one is
 * evicted, and starts with a full bucket when it appears again.
 */
export class RateLimiter {
  readonly rate: Rate;
  private readonly maxSubjects: number;
  private readonly now: (() => number) | undefined;
  /** Ordered by last use, the most recent one last. */
  private readonly buckets = new Map<string, TokenBucket>();
  /** The number of requests per subject that were accepted here since the last `drain`. */
  private readonly used = new Map<string, number>();

  constructor({
    rate,
    maxSubjects = 10_000,
    now,
  }: {
    rate: Rate;
    maxSubjects?: number;
    now?: (() => number) | undefined;
  }) {
    this.rate = rate;
    this.maxSubjects = maxSubjects;
    this.now = now;
  }

  /** Takes a token for one request, if there is one. */
  take(subject: string): BucketState {
    const bucket = this.bucketOf(subject);
    const isAdmitted = bucket.take();
    if (isAdmitted && (this.used.has(subject) || this.used.size < this.maxSubjects)) {
      this.used.set(subject, (this.used.get(subject) ?? 0) + 1);
    }
    return this.stateOf(bucket, isAdmitted);
  }

  /** Returns the state without taking a token. */
  peek(subject: string): BucketState {
    const bucket = this.buckets.get(subject) ?? this.newBucket();
    return this.stateOf(bucket, bucket.left >= 1);
  }

  /** Deducts requests that other processes accepted. */
  spend(subject: string, count: number): void {
    this.bucketOf(subject).spend(count);
  }

  /**
   * Returns and clears the counts of requests that were accepted here, for at most `limit` subjects. The others
   * remain for the next call.
   */
  drain(limit: number): [subject: string, count: number][] {
    const drained = [...this.used].slice(0, limit);
    for (const [subject] of drained) this.used.delete(subject);
    return drained;
  }

  private bucketOf(subject: string): TokenBucket {
    const bucket = this.buckets.get(subject) ?? this.newBucket();
    this.buckets.delete(subject);
    if (this.buckets.size >= this.maxSubjects) this.buckets.delete(this.buckets.keys().next().value!);
    this.buckets.set(subject, bucket);
    return bucket;
  }

  private newBucket(): TokenBucket {
    return new TokenBucket({ ...this.rate, ...(this.now && { now: this.now }) });
  }

  private stateOf(bucket: TokenBucket, isAdmitted: boolean): BucketState {
    return {
      isAdmitted,
      left: bucket.left,
      fullInS: bucket.secondsUntil(this.rate.burst),
      nextInS: bucket.secondsUntil(1),
    };
  }
}
