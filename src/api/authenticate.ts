import { createHash } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import type { Principal, Store } from '../store/store.ts';

/** How long a key that was good stays good without another look: revoking one takes effect within this. */
const REMEMBER_MS = 1_000;
const REMEMBER_AT_MOST = 10_000;

const unauthorized = (message: string) =>
  new ApiError('unauthorized', message, {}, { 'www-authenticate': 'Bearer realm="phonebooth"' });

/** Finds out whose key a request carries. Good keys are remembered for a second, bad ones never. */
export class Authenticator {
  private readonly store: Pick<Store, 'authenticate'>;
  private readonly known = new Map<string, { principal: Principal; until: number }>();

  constructor(store: Pick<Store, 'authenticate'>) {
    this.store = store;
  }

  /** @throws ApiError 40001 unless the header is `Bearer <key>` with a key that is known, not revoked and not expired. */
  async authenticate(header: string | undefined): Promise<Principal> {
    if (!header) throw unauthorized('the header Authorization: Bearer <API_KEY> is missing');
    const key = /^Bearer +([\x21-\x7e]{1,512})$/i.exec(header)?.[1];
    if (!key) throw unauthorized('the Authorization header must be Bearer <API_KEY>');
    const hash = createHash('sha256').update(key).digest('hex');
    const remembered = this.known.get(hash);
    if (remembered && remembered.until > performance.now()) return remembered.principal;
    this.known.delete(hash);
    const principal = await this.store.authenticate(hash);
    if (!principal) throw unauthorized('the API key is unknown, revoked or expired');
    if (this.known.size >= REMEMBER_AT_MOST) this.known.clear();
    this.known.set(hash, { principal, until: performance.now() + REMEMBER_MS });
    return principal;
  }
}
