import { ApiError } from '../../contract/errors.ts';
import { networkOf } from '../../util/network-of.ts';
import { RateLimiter, type Standing } from '../../util/rate-limiter.ts';

/** Requests a minute; null: any number. */
export interface RequestRates {
  /** Of one key. */
  key: number | null;
  /** Of one key, those that lend phones: they cost the store the most, and hosts most of all. */
  connect: number | null;
  /** Of one address. */
  address: number | null;
  /** Of one address, those without a valid key. */
  failed: number | null;
}

export type LimitName = keyof RequestRates;

/** What was let through of one subject (a key's identifier, or an address). */
export interface Use {
  limit: LimitName;
  subject: string;
  count: number;
}

/** A minute's requests may come in bursts of so many seconds' worth. */
const BURST_S: Record<LimitName, number> = { key: 10, connect: 10, address: 10, failed: 30 };

const NAMES = Object.keys(BURST_S) as LimitName[];

const OF: Record<LimitName, string> = {
  key: 'requests of this key',
  connect: 'requests for phones of this key',
  address: 'requests from this address',
  failed: 'requests without a valid key from this address',
};

/** A subject with its limit, after it was asked. */
interface Asked {
  name: LimitName;
  limiter: RateLimiter;
  standing: Standing;
}

/**
 * How many requests this process lets through, by key and by address. The other processes' use is counted here soon after
 * (share-use.ts), so that all of them together hold a limit.
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
    this.ask([['address', networkOf(address)]]);
  }

  /**
   * Answers the headers that tell how the key stands.
   * @throws ApiError 40029
   */
  admitKey(keyId: string, { lends }: { lends: boolean }): Record<string, string> {
    return headersOf(this.ask([['key', keyId], ...(lends ? [['connect', keyId] as const] : [])]));
  }

  /** Before a key is looked up that is not known to be good. @throws ApiError 40029 */
  admitUnknownKey(address: string): void {
    const limiter = this.limiters.get('failed');
    if (!limiter) return;
    const standing = limiter.look(networkOf(address));
    if (!standing.isLetThrough) throw tooMany([{ name: 'failed', limiter, standing }]);
  }

  /** It had no valid key. */
  noteFailure(address: string): void {
    this.limiters.get('failed')?.take(networkOf(address));
  }

  /** What was let through here since the last time, to be told to the other processes; at most `limit`. */
  drain(limit: number): Use[] {
    const uses: Use[] = [];
    for (const [name, limiter] of this.limiters) {
      const drained = limiter.drain(limit - uses.length);
      uses.push(...drained.map(([subject, count]) => ({ limit: name, subject, count })));
    }
    return uses;
  }

  /** What another process let through. */
  spend(uses: readonly Use[]): void {
    for (const { limit, subject, count } of uses) this.limiters.get(limit)?.spend(subject, count);
  }

  private ask(subjects: (readonly [LimitName, string])[]): Asked[] {
    const asked = subjects.flatMap(([name, subject]): Asked[] => {
      const limiter = this.limiters.get(name);
      return limiter ? [{ name, limiter, standing: limiter.take(subject) }] : [];
    });
    if (asked.some(({ standing }) => !standing.isLetThrough)) throw tooMany(asked);
    return asked;
  }
}

function tooMany(asked: Asked[]): ApiError {
  const { name, limiter, standing } = asked.find((one) => !one.standing.isLetThrough)!;
  const { burst, perSecond } = limiter.rate;
  const seconds = Math.max(1, Math.ceil(standing.nextInS));
  const window = Math.ceil(burst / perSecond);
  return new ApiError(
    'rateLimited',
    `too many ${OF[name]}: ${burst} in ${window} s are let through; try again in ${seconds} s`,
    { limit: burst, window_seconds: window, of: name, retry_after_seconds: seconds },
    { ...headersOf(asked), 'retry-after': String(seconds) },
  );
}

/**
 * As the IETF's draft has them (draft-ietf-httpapi-ratelimit-headers-10), and the three of its earlier versions, which more
 * clients know; these tell of the limit that is nearest.
 */
function headersOf(asked: Asked[]): Record<string, string> {
  const [first, ...more] = asked;
  if (!first) return {};
  const share = ({ limiter, standing }: Asked) => standing.left / limiter.rate.burst;
  const nearest = more.reduce((near, one) => (share(one) < share(near) ? one : near), first);
  const { limiter, standing } = nearest;
  const window = ({ burst, perSecond }: RateLimiter['rate']) => Math.ceil(burst / perSecond);
  const policy = (one: Asked) => `"${one.name}";q=${one.limiter.rate.burst};w=${window(one.limiter.rate)}`;
  const state = (one: Asked) => `"${one.name}";r=${one.standing.left};t=${Math.ceil(one.standing.fullInS)}`;
  return {
    'ratelimit-policy': asked.map(policy).join(', '),
    ratelimit: asked.map(state).join(', '),
    'ratelimit-limit': String(limiter.rate.burst),
    'ratelimit-remaining': String(standing.left),
    'ratelimit-reset': String(Math.ceil(standing.fullInS)),
  };
}
