import { createHash } from 'node:crypto';
import type { FailureLimit } from '../access/failure-limit.ts';
import { ApiError } from '../contract/http/errors.ts';
import { networkOf } from '../util/network-of.ts';
import { Slots } from '../util/slots.ts';

/** Maximum number of upgrades that may wait for the store at once, in total and for one address. */
const PENDING = { total: 1_000, perSubject: 100 };
const MAX_KNOWN = 10_000;

/**
 * Limits the load that upgrades put on the store, by client address: how many lookups run at once, and how many
 * invalid tokens are looked up at all. A socket address that was valid before is looked up regardless of other
 * requests from its client's network, so that viewers on the same network as an attacker can reconnect.
 */
export class UpgradeGuard {
  private readonly failures: FailureLimit | undefined;
  private readonly pending: Slots;
  /** Hashes of the socket addresses that were valid, the most recent last. */
  private readonly known = new Set<string>();

  constructor(failures: FailureLimit | undefined, pending = PENDING) {
    this.failures = failures;
    this.pending = new Slots(pending);
  }

  /**
   * Looks a socket address up with `lookUp`. `isInvalid` identifies the errors that mean that its token is invalid.
   * @throws ApiError 40029 or 50300, and what `lookUp` throws
   */
  async admit<T>(
    { address, url }: { address: string; url: string },
    lookUp: () => Promise<T>,
    isInvalid: (error: unknown) => boolean,
  ): Promise<T> {
    const hash = createHash('sha256').update(url).digest('base64');
    if (!this.known.has(hash)) this.failures?.admitUnknownKey(address);
    const release = this.pending.reserve(networkOf(address));
    if (release === 'subject-full') throw tooManyPending(this.pending.perSubject);
    if (release === 'full')
      throw new ApiError('unavailable', 'too many clients are connecting; try again', {}, RETRY);
    try {
      const admitted = await lookUp();
      this.markKnown(hash);
      return admitted;
    } catch (error) {
      if (isInvalid(error)) {
        this.known.delete(hash);
        this.failures?.recordFailure(address);
      }
      throw error;
    } finally {
      release();
    }
  }

  private markKnown(hash: string): void {
    this.known.delete(hash);
    if (this.known.size >= MAX_KNOWN) this.known.delete(this.known.values().next().value!);
    this.known.add(hash);
  }
}

const RETRY = { 'retry-after': '1' };

const tooManyPending = (limit: number) =>
  new ApiError(
    'rateLimited',
    `${limit} upgrades from this address are already in progress; try again`,
    { limit },
    RETRY,
  );
