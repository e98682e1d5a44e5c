import { SECRET } from '../access/secret-names.ts';
import { natsUsers } from '../bus/nats-users.ts';
import { newNkey, nkeyOf } from '../bus/nkey.ts';
import type { Host } from '../contract/http/host.ts';
import { addHost } from '../control-plane/hosts/add-host.ts';
import { toHost } from '../control-plane/views/host-view.ts';
import { ALL_ROWS } from '../store/entities.ts';
import type { StoreSettings } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { commandEvent } from './command-event.ts';
import { openStoreForCommand } from './open-store.ts';

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Returns the NATS seed with which every process of the control plane authenticates. */
export async function controlPlaneSeed(store: Pick<Store, 'ensureSecret'>): Promise<string> {
  return textOf(await store.ensureSecret(SECRET.nats, () => new TextEncoder().encode(newNkey().seed)));
}

/** Manages hosts on other machines directly in the store, with or without a running control plane. */
export class HostAdmin implements AsyncDisposable {
  private readonly store: Store;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open(config: StoreSettings): Promise<HostAdmin> {
    return new HostAdmin(await openStoreForCommand(config));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  /**
   * Adds a host. The credential is not stored; it is shown only once.
   * @throws Error when another host has the name
   */
  async add(name: string): Promise<{ credential: string; host: Pick<Host, 'id' | 'name'> }> {
    const added = await addHost(this.store, name, commandEvent('hosts.add'));
    if (!added) throw new Error(`host ${name} already exists; revoke it, or choose another name`);
    const { credential, host } = added;
    return { credential, host: { id: host.id, name: host.name } };
  }

  /** Lists all hosts, sorted by name, including revoked hosts. */
  async list(): Promise<Host[]> {
    return (await this.store.listHosts(ALL_ROWS)).items.map(toHost);
  }

  /** Returns null when the host does not exist. `ended` is the number of live sessions that the revocation ended. */
  async revoke(hostId: string): Promise<{ host: Pick<Host, 'id' | 'name'>; ended: number } | null> {
    const revoked = await this.store.revokeHost(hostId, commandEvent('hosts.revoke'));
    if (!revoked) return null;
    const { id, name } = revoked.host;
    return { host: { id, name }, ended: revoked.ended.length };
  }

  /**
   * `isMoved` is false if the device was already a device of that host.
   * @throws Error that explains why the device cannot be moved
   */
  async moveDevice(deviceId: string, hostId: string): Promise<{ isMoved: boolean; hostName: string }> {
    const before = await this.store.getFleetDevice(deviceId);
    if (before?.host.id === hostId) return { isMoved: false, hostName: before.host.name };
    const moved = await this.store.updateDevice({ deviceId, hostId }, commandEvent('hosts.move-device'));
    if (!moved)
      throw new Error(
        `device ${deviceId} does not exist; the ids are in the console under Operate, Phones, and in GET /v1/admin/devices`,
      );
    if (moved === 'in-use')
      throw new Error(`device ${deviceId} is in use; end its session before you move it`);
    if (typeof moved === 'string')
      throw new Error(
        `host ${hostId} does not exist or is revoked; list the hosts with phonebooth hosts list`,
      );
    return { isMoved: true, hostName: moved.host.name };
  }

  /**
   * Returns a NATS configuration file that defines which clients may connect and what each may publish and subscribe
   * to.
   */
  async natsConfig(): Promise<string> {
    const hosts = (await this.store.listHosts(ALL_ROWS)).items.flatMap(({ id, publicKey, revokedAt }) =>
      publicKey !== null && revokedAt === null ? [{ hostId: id, publicNkey: publicKey }] : [],
    );
    const controlPlane = nkeyOf(await controlPlaneSeed(this.store)).publicKey;
    return natsUsers({ controlPlane, hosts });
  }
}
