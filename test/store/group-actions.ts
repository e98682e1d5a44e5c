import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { FleetDeviceRow } from '../../src/store/devices/device-store.ts';
import type { GroupRow } from '../../src/store/devices/group-store.ts';
import type { Account, World } from './world.ts';

export const NOT_FOUND = { ok: false, refusal: { why: 'device-not-found' } };
export const all = { page: 1, pageSize: 100 };

/** Helpers for the tests of groups, in addition to the store's own methods. */
export function groupActions(world: World) {
  async function group(accounts: Account[] = [], name: string = randomUUID()): Promise<GroupRow> {
    const accountIds = accounts.map(({ accountId }) => accountId);
    const outcome = await world.store.createGroup({
      group: { name, accountIds },
      by: null,
      idempotency: null,
    });
    if (!outcome.ok) throw new Error(outcome.refusal.why);
    return outcome.created;
  }
  const put = async (deviceId: string, into: GroupRow | null) => {
    const outcome = await world.store.updateDevice({ deviceId, groupId: into?.id ?? null });
    expect(outcome).toMatchObject({ id: deviceId, group: into && { id: into.id, name: into.name } });
    return outcome as FleetDeviceRow;
  };
  const admit = (into: GroupRow, accounts: Account[]) =>
    world.store.updateGroup({ groupId: into.id, accountIds: accounts.map(({ accountId }) => accountId) });
  const seen = async ({ accountId }: Account, query: object = {}) => {
    const { total, items } = await world.store.listDevices({ accountId, ...all, ...query });
    return { total, ids: items.map(({ id }) => id) };
  };
  return { group, put, admit, seen };
}
