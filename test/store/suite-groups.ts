import { describe, expect, test } from 'vitest';
import type { GroupRow } from '../../src/store/devices/group-store.ts';
import { all, groupActions, NOT_FOUND } from './group-actions.ts';
import { expectInvariants } from './invariants.ts';
import type { Account, World } from './world.ts';

export function groupTests(world: World): void {
  describe('groups', () => groupRowTests(world));
  describe('changes of groups during connects', () => concurrencyTests(world));
}

function groupRowTests(world: World): void {
  const { group, put, admit } = groupActions(world);
  const make = (name: string, idempotency: { key: string; fingerprint: string } | null, by: Account) =>
    world.store.createGroup({ group: { name, accountIds: [] }, by: by.accountId, idempotency });

  test('are listed by name with their accounts and the number of their phones', async () => {
    const [b, a] = [await world.account({ name: 'b' }), await world.account({ name: 'a' })];
    await world.report([{ id: 'd1' }, { id: 'd2', usable: false, problem: 'x' }, { id: 'd3' }]);
    const late = await group([], 'zebra');
    const early = await group([b, a], 'Apple');
    await put('d1', early);
    await put('d2', early);
    const accounts = [a, b].map(({ accountId, name }) => ({ id: accountId, name }));
    expect(await world.store.listGroups(all)).toMatchObject({
      total: 2,
      items: [
        { id: early.id, name: 'Apple', accounts, devices: 2 },
        { id: late.id, name: 'zebra', accounts: [], devices: 0 },
      ],
    });
    expect((await world.store.listGroups({ page: 2, pageSize: 1 })).items).toMatchObject([{ id: late.id }]);
  });

  test('require unique names and existing accounts, and a rejection changes nothing', async () => {
    const account = await world.account();
    const taken = await group([account], 'taken');
    const other = await group([], 'other');
    const unknown = { why: 'unknown-account', accountId: 'acc_none' };
    expect(await make('taken', null, account)).toMatchObject({ refusal: { why: 'name-taken' } });
    const change = { groupId: other.id, accountIds: [account.accountId, 'acc_none'], name: 'new' };
    expect(await world.store.updateGroup(change)).toEqual({ ok: false, refusal: unknown });
    expect(await world.store.updateGroup({ ...change, name: 'taken' })).toMatchObject({
      refusal: { why: 'name-taken' },
    });
    expect((await world.store.listGroups(all)).items).toEqual([other, taken]);
    expect(await world.store.updateGroup({ groupId: taken.id, name: 'taken' })).toMatchObject({ ok: true });
    expect(await world.store.updateGroup({ groupId: 'grp_none', name: 'x' })).toBeNull();
    const gone = await world.store.updateDevice({ deviceId: 'none', groupId: other.id });
    expect(gone).toBeNull();
    await world.report([{ id: 'd1' }]);
    const nowhere = { deviceId: 'd1', name: 'new', groupId: 'grp_none' };
    expect(await world.store.updateDevice(nowhere)).toBe('no-such-group');
    expect(await world.store.getFleetDevice('d1')).toMatchObject({ name: 'Phone d1', group: null });
  });

  test('are not created twice by a replay, not even if the first was deleted', async () => {
    const account = await world.account();
    const key = { key: 'k', fingerprint: 'f' };
    const made = await make('one', key, account);
    expect(await make('one', key, account)).toEqual({ ...made, replayed: true });
    const conflict = { ok: false, refusal: { why: 'idempotency-conflict' } };
    expect(await make('two', { ...key, fingerprint: 'g' }, account)).toEqual(conflict);
    await world.store.deleteGroup((made as { created: GroupRow }).created.id);
    expect(await make('one', key, account)).toEqual(conflict);
  });

  test('can be deleted when they contain no phones, which does not make deleted phones visible', async () => {
    const account = await world.account();
    const shelf = await group([account]);
    await world.report([{ id: 'd1' }, { id: 'd2' }]);
    await put('d1', shelf);
    await put('d2', shelf);
    expect(await world.store.deleteGroup(shelf.id)).toEqual({ deleted: false, devices: 2 });
    await put('d1', null);
    await world.report([{ id: 'd1' }]);
    expect(await world.store.deleteDevice('d2')).toBe('forgotten');
    expect(await world.store.deleteGroup(shelf.id)).toEqual({ deleted: true });
    expect(await world.store.deleteGroup(shelf.id)).toBeNull();
    expect(await world.store.listGroupsOf([account.accountId])).toEqual(new Map());
    await world.report([{ id: 'd1' }, { id: 'd2' }]);
    const back = { condition: 'maintenance', maintenance: true, group: null };
    expect(await world.store.getFleetDevice('d2')).toMatchObject(back);
    await expectInvariants(world);
  });

  test('keep a phone that is absent, renamed or deleted', async () => {
    const shelf = await group();
    await world.report([{ id: 'd1' }]);
    await put('d1', shelf);
    await world.store.updateDevice({ deviceId: 'd1', name: 'new' });
    await world.report([]);
    await world.store.deleteDevice('d1');
    await world.report([{ id: 'd1' }]);
    await world.report([], { hostId: 'host-1' });
    await world.report([], { hostId: 'host-2' });
    await world.store.updateDevice({ deviceId: 'd1', hostId: 'host-2' });
    await world.report([{ id: 'd1' }], { hostId: 'host-2' });
    expect(await world.store.getFleetDevice('d1')).toMatchObject({ name: 'new', group: { id: shelf.id } });
  });

  test('filter the operators’ list', async () => {
    const shelf = await group();
    await world.report([{ id: 'd1' }, { id: 'd2' }]);
    await put('d1', shelf);
    const list = async (groupId: string | null) =>
      (await world.store.listFleetDevices({ ...all, groupId })).items.map(({ id }) => id);
    expect([await list(shelf.id), await list(null), await list('grp_none')]).toEqual([['d1'], ['d2'], []]);
  });

  test('report the groups of each account', async () => {
    const [one, two, three] = [await world.account(), await world.account(), await world.account()];
    const [a, b] = [await group([one, two]), await group([one])];
    await admit(a, [one, three]);
    const ids = [one, two, three].map(({ accountId }) => accountId);
    expect(await world.store.listGroupsOf(ids)).toEqual(
      new Map([
        [one.accountId, new Set([a.id, b.id])],
        [three.accountId, new Set([a.id])],
      ]),
    );
  });
}

function concurrencyTests(world: World): void {
  const { group, put, admit } = groupActions(world);

  test('apply to a connect that begins afterwards, whatever runs concurrently', async () => {
    const [insider, outsider] = [await world.account(), await world.account()];
    const shelf = await group([insider]);
    const ids = Array.from({ length: 8 }, (_, at) => `d${at}`);
    await world.report(ids.map((id) => ({ id })));
    await Promise.all(
      ids.map(async (id) => {
        for (let round = 0; round < 4; round += 1) {
          const beside = [world.connect(outsider, id), world.connect(insider, id)];
          await put(id, shelf);
          expect(await world.connect(outsider, id)).toEqual(NOT_FOUND);
          const outcomes = [...(await Promise.all(beside)), await world.connect(insider, id)];
          const lent = outcomes.filter(({ ok }) => ok);
          expect(lent).toHaveLength(1);
          await put(id, null);
          expect(await world.connect(outsider, id)).toMatchObject({ refusal: { why: 'device-unavailable' } });
          const { session } = lent[0] as Extract<(typeof outcomes)[number], { ok: true }>;
          await world.store.end({ sessionId: session.id, reason: 'client' });
          await world.report([{ id, cleanEpoch: session.epoch }], { complete: false });
        }
      }),
    );
    await expectInvariants(world);
  });

  test('do not lose phones that are added to a group while it is deleted', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `d${at}`);
    await world.report(ids.map((id) => ({ id })));
    const shelf = await group();
    const [deleted, ...placed] = await Promise.all([
      world.store.deleteGroup(shelf.id),
      ...ids.map((deviceId) => world.store.updateDevice({ deviceId, groupId: shelf.id })),
    ]);
    const placedCount = placed.filter((outcome) => outcome !== 'no-such-group').length;
    const { total } = await world.store.listFleetDevices({ ...all, groupId: shelf.id });
    expect(total).toBe(placedCount);
    expect(deleted).toMatchObject(placedCount === 0 ? { deleted: true } : { deleted: expect.any(Boolean) });
    if (deleted?.deleted) expect(placedCount).toBe(0);
    await expectInvariants(world);
  });

  test('leave the last list of accounts after concurrent updates', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => world.account()));
    const shelf = await group(accounts);
    const lists = accounts.map((_, at) => accounts.filter((_account, index) => index !== at));
    const outcomes = await Promise.all(lists.map((list) => admit(shelf, list)));
    const { items } = await world.store.listGroups(all);
    const idsOf = (row: GroupRow) => row.accounts.map(({ id }) => id).sort();
    const accountLists = outcomes.map((outcome) => (outcome?.ok ? idsOf(outcome.group) : []));
    for (const ids of accountLists) expect(ids).toHaveLength(5);
    expect(accountLists).toContainEqual(idsOf(items[0]!));
  });
}
