import type { Group } from '../contract/http/group.ts';
import { toGroup } from '../control-plane/views/group-view.ts';
import { ALL_ROWS } from '../store/entities.ts';
import type { StoreSettings } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { commandEvent } from './command-event.ts';
import { openStoreForCommand } from './open-store.ts';

export interface GroupEdit {
  name?: string | undefined;
  /** Names of all accounts that can see the group's devices. */
  accounts?: string[] | undefined;
  addDevices: string[];
  removeDevices: string[];
}

/** Manages groups of devices directly in the store, with or without a running server. */
export class GroupAdmin implements AsyncDisposable {
  private readonly store: Store;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open(config: StoreSettings): Promise<GroupAdmin> {
    return new GroupAdmin(await openStoreForCommand(config));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }

  /** Lists all groups, sorted by name. */
  async list(): Promise<Group[]> {
    return (await this.store.listGroups(ALL_ROWS)).items.map(toGroup);
  }

  /** @throws Error when another group has the name, or an account does not exist */
  async create(name: string, accounts: string[]): Promise<Group> {
    const group = { name, accountIds: await this.accountIds(accounts) };
    const outcome = await this.store.createGroup(
      { group, by: null, idempotency: null },
      commandEvent('groups.create'),
    );
    if (!outcome.ok) throw nameTaken(name);
    return toGroup(outcome.created);
  }

  /**
   * Changes a group. Devices are added one after another: when one does not exist, those before it have already been
   * added.
   * @throws Error when the group, an account or a device does not exist, or another group has the name
   */
  async change(name: string, edit: GroupEdit): Promise<Group> {
    const { id: groupId } = await this.find(name);
    const accountIds = edit.accounts && (await this.accountIds(edit.accounts));
    const audit = edit.name !== undefined || accountIds ? commandEvent('groups.set') : undefined;
    const outcome = await this.store.updateGroup({ groupId, name: edit.name, accountIds }, audit);
    if (!outcome) throw noGroup(name);
    if (!outcome.ok) throw nameTaken(edit.name ?? name);
    for (const deviceId of edit.addDevices) await this.move(deviceId, groupId);
    for (const deviceId of edit.removeDevices) await this.remove(deviceId, outcome.group);
    return this.find(outcome.group.name);
  }

  /** @throws Error when the group does not exist or contains devices */
  async delete(name: string): Promise<void> {
    const { id } = await this.find(name);
    const outcome = await this.store.deleteGroup(id, commandEvent('groups.delete'));
    if (!outcome) throw noGroup(name);
    if (!outcome.deleted) {
      const phones = outcome.devices === 1 ? '1 phone' : `${outcome.devices} phones`;
      throw new Error(
        `group ${name} has ${phones}, which would become visible to all accounts; assign them to another ` +
          'group or to none first',
      );
    }
  }

  private async find(name: string): Promise<Group> {
    const found = (await this.list()).find((row) => row.name === name);
    if (!found) throw noGroup(name);
    return found;
  }

  private async accountIds(names: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const name of new Set(names)) {
      const account = await this.store.getAccountByName(name);
      if (!account)
        throw new Error(`account ${name} does not exist; list the accounts with phonebooth accounts list`);
      ids.push(account.id);
    }
    return ids;
  }

  /** Removes a device from this group. A device that is in another group stays there. */
  private async remove(deviceId: string, group: Pick<Group, 'id' | 'name'>): Promise<void> {
    const device = await this.store.getFleetDevice(deviceId);
    if (device && device.group?.id !== group.id)
      throw new Error(`phone ${deviceId} is not in group ${group.name}; its group was not changed`);
    await this.move(deviceId, null);
  }

  private async move(deviceId: string, groupId: string | null): Promise<void> {
    const moved = await this.store.updateDevice({ deviceId, groupId }, commandEvent('groups.set'));
    if (!moved) throw new Error(`phone ${deviceId} does not exist; GET /v1/admin/devices lists the phones`);
    if (typeof moved === 'string')
      throw new Error(
        'the group was deleted by another command; list the groups with phonebooth groups list',
      );
  }
}

const noGroup = (name: string) =>
  new Error(`group ${name} does not exist; list the groups with phonebooth groups list`);
const nameTaken = (name: string) => new Error(`group ${name} already exists; choose another name`);
