import type { ServerResponse } from 'node:http';
import { GrantWatch } from '../access/grant-watch.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';

/**
 * The responses that can stay open for long (uploads, exports, streams of AI agents), by the key of their request.
 * Each connection is closed within 5 s of the key's revocation or expiry.
 */
export class OpenResponses implements Disposable {
  private readonly grants: GrantWatch;

  constructor(store: Pick<Store, 'validGrants'>, log: Log) {
    this.grants = new GrantWatch({
      readValid: (grantIds) => store.validGrants(grantIds),
      onError: (err) =>
        logUnlessOutage(log, 'warn', { err }, 'keys of open responses could not be read; retrying'),
    });
  }

  add(keyId: string, response: ServerResponse): void {
    if (response.destroyed) return;
    const destroy = () => void response.destroy();
    this.grants.watch(keyId, destroy);
    response.once('close', () => this.grants.unwatch(keyId, destroy));
  }

  [Symbol.dispose](): void {
    this.grants[Symbol.dispose]();
  }
}
