import { grantOf, type SocketPurpose } from '../access/socket-token.ts';
import type { TokenKeys } from '../access/token-keys.ts';
import type { SessionRow } from '../store/entities.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { SESSION_ENDED, UpgradeRejection } from './upgrade-rejection.ts';

export interface UpgradeAuthenticatorOptions {
  tokenKeys: Pick<TokenKeys, 'verify'>;
  purpose: SocketPurpose;
  store: Pick<Store, 'getSession' | 'validGrants'>;
  log: Log;
}

/** A client whose socket address has been verified. */
export interface AuthenticatedClient {
  session: SessionRow;
  /** The key or watch link that the socket address was issued to. */
  grantId: string;
  /**
   * The grant's id if the grant is known to be a key. Null for a socket address that a version without grants issued.
   */
  keyId: string | null;
  /** The client's network address. */
  address: string;
}

/** Longest time for which a client of a socket waits for the store. */
export const STORE_TIMEOUT_MS = 5_000;

export const INVALID_GRANT = 'the API key or watch link of this URL is revoked or expired; get a new URL';

export const isInvalidToken = (error: unknown) =>
  error instanceof UpgradeRejection && (error.kind === 'unauthorized' || error.kind === 'sessionNotFound');

/** Verifies the token of a socket address against its session and its grant. */
export class UpgradeAuthenticator {
  private readonly options: UpgradeAuthenticatorOptions;

  constructor(options: UpgradeAuthenticatorOptions) {
    this.options = options;
  }

  /**
   * A socket address that a version without grants issued is bound to the key that created the session.
   * @throws UpgradeRejection
   */
  async verify(token: string, sessionId: string): Promise<Omit<AuthenticatedClient, 'address'>> {
    const { tokenKeys, purpose, store } = this.options;
    const session = await this.read(sessionId, store.getSession(sessionId));
    if (!session)
      throw new UpgradeRejection(
        'sessionNotFound',
        'the session in the URL does not exist; use the URL of a live session',
      );
    if (!(await tokenKeys.verify(token, { purpose, sessionId: session.id, epoch: session.epoch }))) {
      throw new UpgradeRejection(
        'unauthorized',
        'the token in the URL is invalid; get the URL from the session again',
      );
    }
    if (session.status === 'disconnected') throw new UpgradeRejection('sessionEnded', SESSION_ENDED);
    const keyId = grantOf(token);
    const grantId = keyId ?? session.keyId;
    const valid = await this.read(sessionId, store.validGrants([grantId]));
    if (!valid.includes(grantId)) throw new UpgradeRejection('unauthorized', INVALID_GRANT);
    return { session, grantId, keyId };
  }

  private async read<T>(sessionId: string, query: Promise<T>): Promise<T> {
    const { log } = this.options;
    try {
      return await withDeadline(query, STORE_TIMEOUT_MS, 'the database did not answer');
    } catch (error) {
      logUnlessOutage(
        log,
        'warn',
        { err: error, sessionId },
        'upgrade rejected: the store did not answer in time',
      );
      throw new UpgradeRejection('unavailable', 'the service cannot look up sessions; try again');
    }
  }
}
