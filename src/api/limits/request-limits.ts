import { ApiError } from '../../contract/http/errors.ts';
import { networkOf } from '../../util/network-of.ts';
import { type BucketState, RateLimiter } from '../../util/rate-limiter.ts';

/** Requests per minute; null: unlimited. */
export interface RequestRates {
  /** Per key. */
  key: number | null;
  /**
   * Per key, for requests that borrow phones. They are the most expensive for the store, and even more so for the
   * hosts.
   */
  connect: number | null;
  /** Per address. */
  address: number | null;
  /** Per address, for requests without a valid key. */
  failed: number | null;
}

export type LimitName = keyof RequestRates;

/** Admitted requests of one subject (a key id or an address). */
export interface Use {
  limit: LimitName;
  subject: string;
  count: number;
}

/** Burst size of each limit, in seconds of its rate. */
const BURST_S: Record<LimitName, number> = { key: 10, connect: 10, address: 10, failed: 30 };

const NAMES = Object.keys(BURST_S) as LimitName[];

const OF: Record<LimitName, string> = {
  key: 'requests of this key',
  connect: 'borrow requests of this key',
  address: 'requests from this address',
  failed: 'requests without a valid key from this address',
};

/** A limit of a subject, and what is left of it after this request. */
interface LimitState {
  name: LimitName;
  limiter: RateLimiter;
  bucket: BucketState;
}

/**
 * Request rate limits of this process, by key and by address. The use in other processes is added with a short delay
 * (share-use.ts), so that a limit holds for all processes together.
 */
export class RequestLimits {
  private readonly limiters = new Map<LimitName, RateLimiter>();

  constructor(rates: RequestRates, now?: () => number) {
    for (const name of NAMES) {
      const perMinute = rates[name];
      if (perMinute === null) continue;
      const perSecond = perMinute / 60;
      const burst = Math.max(1, Math.round(perSecond * BURST_S[name]));
      this.limiters.set(name, new RateLimiter({ rate: { perSecond, burst }, now }));
    }
  }

  /** @throws ApiError 40029 */
  admitAddress(address: string): void {
    this.takeTokens([['address', networkOf(address)]]);
  }

  /**
   * @returns the rate limit headers of the key
   * @throws ApiError 40029
   */
  admitKey(keyId: string, { connects }: { connects: boolean }): Record<string, string> {
    return headersOf(this.takeTokens([['key', keyId], ...(connects ? [['connect', keyId] as const] : [])]));
  }

  /** Called before a key is looked up that is not known to be valid. @throws ApiError 40029 */
  admitUnknownKey(address: string): void {
    const limiter = this.limiters.get('failed');
    if (!limiter) return;
    const bucket = limiter.peek(networkOf(address));
    if (!bucket.isAdmitted) throw tooMany([{ name: 'failed', limiter, bucket }]);
  }

  /** Counts a request without a valid key. */
  recordFailure(address: string): void {
    this.limiters.get('failed')?.take(networkOf(address));
  }

  /** Returns the requests admitted here since the last call, at most `limit` entries, for the other processes. */
  drain(limit: number): Use[] {
    const uses: Use[] = [];
    for (const [name, limiter] of this.limiters) {
      const drained = limiter.drain(limit - uses.length);
      uses.push(...drained.map(([subject, count]) => ({ limit: name, subject, count })));
    }
    return uses;
  }

  /** Counts requests that another process admitted. */
  spend(uses: readonly Use[]): void {
    for (const { limit, subject, count } of uses) this.limiters.get(limit)?.spend(subject, count);
  }

  private takeTokens(subjects: (readonly [LimitName, string])[]): LimitState[] {
    const states = subjects.flatMap(([name, subject]): LimitState[] => {
      const limiter = this.limiters.get(name);
      return limiter ? [{ name, limiter, bucket: limiter.take(subject) }] : [];
    });
    if (states.some(({ bucket }) => !bucket.isAdmitted)) throw tooMany(states);
    return states;
  }
}

function tooMany(states: LimitState[]): ApiError {
  const { name, limiter, bucket } = states.find((one) => !one.bucket.isAdmitted)!;
  const { burst, perSecond } = limiter.rate;
  const seconds = Math.max(1, Math.ceil(bucket.nextInS));
  const window = Math.ceil(burst / perSecond);
  return new ApiError(
    'rateLimited',
    `too many ${OF[name]}: the limit is ${burst} in ${window} s; try again in ${seconds} s`,
    { limit: burst, window_seconds: window, of: name, retry_after_seconds: seconds },
    { ...headersOf(states), 'retry-after': String(seconds) },
  );
}

/**
 * The headers of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10), and the three of its earlier versions,
 * which more clients support. The latter describe the limit that is closest to being reached.
 */
function headersOf(states: LimitState[]): Record<string, string> {
  const [first, ...more] = states;
  if (!first) return {};
  const share = ({ limiter, bucket }: LimitState) => bucket.left / limiter.rate.burst;
  const nearest = more.reduce((near, one) => (share(one) < share(near) ? one : near), first);
  const { limiter, bucket } = nearest;
  const window = ({ burst, perSecond }: RateLimiter['rate']) => Math.ceil(burst / perSecond);
  const policy = (one: LimitState) =>
    `"${one.name}";q=${one.limiter.rate.burst};w=${window(one.limiter.rate)}`;
  const state = (one: LimitState) => `"${one.name}";r=${one.bucket.left};t=${Math.ceil(one.bucket.fullInS)}`;
  return {
    'ratelimit-policy': states.map(policy).join(', '),
    ratelimit: states.map(state).join(', '),
    'ratelimit-limit': String(limiter.rate.burst),
    'ratelimit-remaining': String(bucket.left),
    'ratelimit-reset': String(Math.ceil(bucket.fullInS)),
  };
}
