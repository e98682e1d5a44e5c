import { natsUsers } from '../bus/nats-users.ts';
import { newNkey, nkeyOf } from '../bus/nkey.ts';
import type { HostRow, Store } from '../store/store.ts';
import { silentLog } from '../util/log.ts';
import { commandEvent } from './command-event.ts';
import type { Config } from './config.ts';
import { ensureDataFolder } from './data-folder.ts';
import { openConfiguredStore } from './open-configured-store.ts';

export type { HostRow } from '../store/store.ts';

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The seed that every process of the control plane proves itself to NATS with. */
export async function controlPlaneSeed(store: Pick<Store, 'secret'>): Promise<string> {
  return textOf(await store.secret('nats-seed', () => new TextEncoder().encode(newNkey().seed)));
}

/** Hosts on machines of their own, straight on the store: it works beside a running control plane, and without one. */
export class HostAdmin implements AsyncDisposable {
  private readonly store: Store;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open(config: Config): Promise<HostAdmin> {
    await ensureDataFolder(config.dataDir);
    return new HostAdmin(await openConfiguredStore(config, silentLog));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  /** The credential is in no row: it is shown once. @throws Error when the name is another host's. */
  async add(name: string): Promise<{ credential: string; host: HostRow }> {
    const { seed, publicKey } = newNkey();
    const host = await this.store.addHost({ name, publicKey }, commandEvent('hosts.add'));
    if (host === 'name-taken')
      throw new Error(`there is a host ${name} already; revoke it, or choose another name`);
    return { credential: `${host.id}.${seed}`, host };
  }

  list(): Promise<HostRow[]> {
    return this.store.listHosts();
  }

  /** null: no such host. `ended` counts the live sessions that the revocation ended. */
  async revoke(hostId: string): Promise<{ host: HostRow; ended: number } | null> {
    const revoked = await this.store.revokeHost(hostId, commandEvent('hosts.revoke'));
    return revoked && { host: revoked.host, ended: revoked.ended.length };
  }

  /** @throws Error that says why the device is not moved */
  async moveDevice(deviceId: string, hostId: string): Promise<void> {
    const moved = await this.store.changeDevice({ deviceId, hostId }, commandEvent('hosts.move-device'));
    if (!moved)
      throw new Error(`there is no device ${deviceId}; GET /v1/admin/devices lists their identifiers`);
    if (moved === 'in-use')
      throw new Error(`a session holds device ${deviceId}; release it before you move it`);
    if (typeof moved === 'string')
      throw new Error(`there is no host ${hostId} that is not revoked; phonebooth hosts list shows them`);
  }

  /** Who may connect to NATS and what each may say there, as a file of NATS's own configuration. */
  async natsConfig(): Promise<string> {
    const hosts = (await this.store.listHosts()).flatMap(({ id, publicKey, revokedAt }) =>
      publicKey !== null && revokedAt === null ? [{ hostId: id, publicNkey: publicKey }] : [],
    );
    const controlPlane = nkeyOf(await controlPlaneSeed(this.store)).publicKey;
    return natsUsers({ controlPlane, hosts });
  }
}
