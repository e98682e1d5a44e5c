import { type Rate, TokenBucket } from './token-bucket.ts';

/** How a subject stands with its limit. */
export interface Standing {
  isLetThrough: boolean;
  /** How many more may come now. */
  left: number;
  /** Until the whole burst may come, seconds. */
  fullInS: number;
  /** Until one may come, seconds. */
  nextInS: number;
}

/**
 * One rate for each of many subjects. At most `maxSubjects` are remembered: the one that was not seen for longest is
 * forgotten, and begins with a full bucket when it comes again.
 */
export class RateLimiter {
  readonly rate: Rate;
  private readonly maxSubjects: number;
  private readonly now: (() => number) | undefined;
  /** The one that was seen last is the last. */
  private readonly buckets = new Map<string, TokenBucket>();
  /** What was let through here since it was last told. */
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

  /** Lets one through, or not. */
  take(subject: string): Standing {
    const bucket = this.bucketOf(subject);
    const isLetThrough = bucket.take();
    if (isLetThrough && (this.used.has(subject) || this.used.size < this.maxSubjects)) {
      this.used.set(subject, (this.used.get(subject) ?? 0) + 1);
    }
    return this.standing(bucket, isLetThrough);
  }

  /** Whether one would be let through. */
  look(subject: string): Standing {
    const bucket = this.buckets.get(subject) ?? this.newBucket();
    return this.standing(bucket, bucket.left >= 1);
  }

  /** Counts what was let through elsewhere. */
  spend(subject: string, count: number): void {
    this.bucketOf(subject).spend(count);
  }

  /** What was let through here and has not been told yet, of so many subjects at the most; the others are for next time. */
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

  private standing(bucket: TokenBucket, isLetThrough: boolean): Standing {
    return {
      isLetThrough,
      left: bucket.left,
      fullInS: bucket.secondsUntil(this.rate.burst),
      nextInS: bucket.secondsUntil(1),
    };
  }
}
