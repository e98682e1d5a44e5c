import { isWatchLink } from '../contract/http/watch-link.ts';
import { Slots } from '../util/slots.ts';
import type { SocketCounts } from './socket-counts.ts';
import type { AuthenticatedClient } from './upgrade-authenticator.ts';
import { UpgradeRejection } from './upgrade-rejection.ts';

/**
 * Sockets that one watch link may have open at a gateway. They are fewer than the viewers that a session may have, so that
 * the holder of a link cannot keep the session's owner from watching.
 */
const MAX_SOCKETS_PER_WATCH_LINK = 20;

const ignore = () => {};

/** Limits the open sockets of each watch link and of each account. */
export class SocketLimits {
  private readonly accountSockets: Pick<SocketCounts, 'reserve' | 'limit'> | undefined;
  private readonly watchLinkSockets = new Slots({
    total: Number.POSITIVE_INFINITY,
    perSubject: MAX_SOCKETS_PER_WATCH_LINK,
  });

  /** Without `accountSockets`, the sockets of an account are unlimited. */
  constructor(accountSockets: Pick<SocketCounts, 'reserve' | 'limit'> | undefined) {
    this.accountSockets = accountSockets;
  }

  /**
   * Counts one more socket until the returned function is called.
   * @throws UpgradeRejection 429
   */
  reserve({ grantId, session }: Pick<AuthenticatedClient, 'grantId' | 'session'>): () => void {
    if (!isWatchLink(grantId)) return this.reserveAccountSocket(session.accountId);
    const releaseWatchLink = this.reserveWatchLinkSocket(grantId);
    try {
      const releaseAccount = this.reserveAccountSocket(session.accountId);
      return () => {
        releaseWatchLink();
        releaseAccount();
      };
    } catch (error) {
      releaseWatchLink();
      throw error;
    }
  }

  private reserveWatchLinkSocket(grantId: string): () => void {
    const release = this.watchLinkSockets.reserve(grantId);
    if (typeof release === 'function') return release;
    const { perSubject } = this.watchLinkSockets;
    throw new UpgradeRejection(
      'rateLimited',
      `the watch link has reached its limit of ${perSubject} open sockets; close one first`,
    );
  }

  private reserveAccountSocket(accountId: string): () => void {
    if (!this.accountSockets) return ignore;
    const release = this.accountSockets.reserve(accountId);
    if (release) return release;
    throw new UpgradeRejection(
      'rateLimited',
      `the account has reached its limit of ${this.accountSockets.limit} open sockets; close one first`,
    );
  }
}
