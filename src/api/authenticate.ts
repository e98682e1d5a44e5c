import { factsOfKey } from '../access/api-key.ts';
import type { FailureLimit } from '../access/failure-limit.ts';
import { ApiError } from '../contract/http/errors.ts';
import { invalidKey, unauthorized } from '../control-plane/refusal-errors.ts';
import { type Principal, RECORD_USE_INTERVAL_MS } from '../store/accounts/account-store.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';

/** How long a valid key stays cached without another lookup. A revocation takes effect within this time. */
const CACHE_MS = 1_000;
const MAX_CACHED = 10_000;

const unlimited: FailureLimit = { admitUnknownKey: () => {}, recordFailure: () => {} };

/**
 * Authenticates the key of a request. Valid keys are cached for a second, invalid keys never. The use of a key is
 * recorded at most once a minute, in the background: a request neither waits for it nor fails because of it. From an
 * address that sent too many invalid keys, only keys that were valid before are looked up, so that other clients
 * behind the same address can continue.
 */
export class Authenticator {
  private readonly store: Pick<Store, 'authenticate' | 'recordKeyUse'>;
  private readonly log: Log;
  private readonly failures: FailureLimit;
  private readonly known = new Map<string, { principal: Principal; until: number }>();
  /** When the use of each key was last recorded by this process. */
  private readonly lastRecorded = new Map<string, number>();

  constructor(store: Pick<Store, 'authenticate' | 'recordKeyUse'>, log: Log, failures = unlimited) {
    this.store = store;
    this.log = log;
    this.failures = failures;
  }

  /**
   * @throws ApiError 40001 unless the header is `Bearer <key>` with a key that is known, not revoked and not expired;
   * 40029 when the address sent too many invalid keys
   */
  async authenticate(header: string | undefined, address: string): Promise<Principal> {
    try {
      return await this.find(header, address);
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized') this.failures.recordFailure(address);
      throw error;
    }
  }

  private async find(header: string | undefined, address: string): Promise<Principal> {
    const key = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header ?? '')?.[1];
    const hash = key === undefined ? null : factsOfKey(key).hash;
    const cached = hash === null ? undefined : this.known.get(hash);
    if (!cached) this.failures.admitUnknownKey(address);
    if (!header) throw unauthorized('the header Authorization: Bearer <API_KEY> is missing');
    if (hash === null) throw unauthorized('the Authorization header must be Bearer <API_KEY>');
    const principal = cached && cached.until > performance.now() ? cached.principal : await this.lookUp(hash);
    this.recordUse(principal.keyId, address);
    return principal;
  }

  private async lookUp(hash: string): Promise<Principal> {
    const principal = await this.store.authenticate(hash);
    if (!principal) this.known.delete(hash);
    if (!principal) throw invalidKey();
    if (this.known.size >= MAX_CACHED) this.known.clear();
    this.known.set(hash, { principal, until: performance.now() + CACHE_MS });
    return principal;
  }

  private recordUse(keyId: string, address: string): void {
    const now = performance.now();
    if (now - (this.lastRecorded.get(keyId) ?? Number.NEGATIVE_INFINITY) < RECORD_USE_INTERVAL_MS) return;
    if (this.lastRecorded.size >= MAX_CACHED) this.lastRecorded.clear();
    this.lastRecorded.set(keyId, now);
    this.store.recordKeyUse({ keyId, address }).catch((error: unknown) => {
      this.log.debug({ keyId, err: error }, 'last use of API keys not recorded');
    });
  }
}
