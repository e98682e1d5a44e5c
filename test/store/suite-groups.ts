import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FleetDeviceRow } from '../../src/store/admin-store.ts';
import type { GroupRow } from '../../src/store/group-store.ts';
import type { PhoneFilter } from '../../src/store/phone-queue.ts';
import { expectInvariants } from './invariants.ts';
import type { Account, World } from './world.ts';

const ANY: PhoneFilter = { brand: '', osVersion: '', model: '' };
const NOT_FOUND = { ok: false, refusal: { why: 'device-not-found' } };
const all = { page: 1, pageSize: 100 };

/** What the tests of groups do with the store, beside its own methods. */
function groupActions(world: World) {
  async function group(accounts: Account[] = [], name: string = randomUUID()): Promise<GroupRow> {
    const accountIds = accounts.map(({ accountId }) => accountId);
    const outcome = await world.store.makeGroup({ group: { name, accountIds }, by: '', idempotency: null });
    if (!outcome.ok) throw new Error(outcome.refusal.why);
    return outcome.made;
  }
  const put = async (deviceId: string, into: GroupRow | null) => {
    const outcome = await world.store.changeDevice({ deviceId, groupId: into?.id ?? null });
    expect(outcome).toMatchObject({ id: deviceId, group: into && { id: into.id, name: into.name } });
    return outcome as FleetDeviceRow;
  };
  const admit = (into: GroupRow, accounts: Account[]) =>
    world.store.changeGroup({ groupId: into.id, accountIds: accounts.map(({ accountId }) => accountId) });
  const seen = async ({ accountId }: Account, query: object = {}) => {
    const { total, items } = await world.store.listDevices({ accountId, ...all, ...query });
    return { total, ids: items.map(({ id }) => id) };
  };
  return { group, put, admit, seen };
}

export function groupTests(world: World): void {
  describe('groups', () => groupRowTests(world));
  describe('a phone in a group', () => sightTests(world));
  describe('the queue, with groups', () => queueTests(world));
  describe('the log of events, with groups', () => eventTests(world));
  describe('groups that change while phones are lent', () => concurrencyTests(world));
}

function groupRowTests(world: World): void {
  const { group, put, admit } = groupActions(world);
  const make = (name: string, idempotency: { key: string; fingerprint: string } | null, by: Account) =>
    world.store.makeGroup({ group: { name, accountIds: [] }, by: by.accountId, idempotency });

  test('are listed by name, with their accounts and how many phones they have', async () => {
    const [b, a] = [await world.account({ name: 'b' }), await world.account({ name: 'a' })];
    await world.report([{ id: 'd1' }, { id: 'd2', usable: false, problem: 'x' }, { id: 'd3' }]);
    const late = await group([], 'zebra');
    const early = await group([b, a], 'Apple');
    await put('d1', early);
    await put('d2', early);
    const accounts = [a, b].map(({ accountId, name }) => ({ id: accountId, name }));
    expect(await world.store.pageGroups(all)).toMatchObject({
      total: 2,
      items: [
        { id: early.id, name: 'Apple', accounts, devices: 2 },
        { id: late.id, name: 'zebra', accounts: [], devices: 0 },
      ],
    });
    expect((await world.store.pageGroups({ page: 2, pageSize: 1 })).items).toMatchObject([{ id: late.id }]);
  });

  test('have names of their own, and accounts that exist; a refusal changes nothing', async () => {
    const account = await world.account();
    const taken = await group([account], 'taken');
    const other = await group([], 'other');
    const unknown = { why: 'unknown-account', accountId: 'acc_none' };
    expect(await make('taken', null, account)).toMatchObject({ refusal: { why: 'name-taken' } });
    const change = { groupId: other.id, accountIds: [account.accountId, 'acc_none'], name: 'new' };
    expect(await world.store.changeGroup(change)).toEqual({ ok: false, refusal: unknown });
    expect(await world.store.changeGroup({ ...change, name: 'taken' })).toMatchObject({
      refusal: { why: 'name-taken' },
    });
    expect((await world.store.pageGroups(all)).items).toEqual([other, taken]);
    expect(await world.store.changeGroup({ groupId: taken.id, name: 'taken' })).toMatchObject({ ok: true });
    expect(await world.store.changeGroup({ groupId: 'grp_none', name: 'x' })).toBeNull();
    const gone = await world.store.changeDevice({ deviceId: 'none', groupId: other.id });
    expect(gone).toBeNull();
    await world.report([{ id: 'd1' }]);
    const nowhere = { deviceId: 'd1', name: 'new', groupId: 'grp_none' };
    expect(await world.store.changeDevice(nowhere)).toBe('no-such-group');
    expect(await world.store.getFleetDevice('d1')).toMatchObject({ name: 'Phone d1', group: null });
  });

  test('a repeat with the same key makes no other, not even of one that was deleted', async () => {
    const account = await world.account();
    const key = { key: 'k', fingerprint: 'f' };
    const made = await make('one', key, account);
    expect(await make('one', key, account)).toEqual({ ...made, replayed: true });
    const conflict = { ok: false, refusal: { why: 'idempotency-conflict' } };
    expect(await make('two', { ...key, fingerprint: 'g' }, account)).toEqual(conflict);
    await world.store.deleteGroup((made as { made: GroupRow }).made.id);
    expect(await make('one', key, account)).toEqual(conflict);
  });

  test('are deleted when no phone is in them, and show nobody a forgotten one by that', async () => {
    const account = await world.account();
    const shelf = await group([account]);
    await world.report([{ id: 'd1' }, { id: 'd2' }]);
    await put('d1', shelf);
    await put('d2', shelf);
    expect(await world.store.deleteGroup(shelf.id)).toEqual({ deleted: false, devices: 2 });
    await put('d1', null);
    await world.report([{ id: 'd1' }]);
    expect(await world.store.forgetDevice('d2')).toBe('forgotten');
    expect(await world.store.deleteGroup(shelf.id)).toEqual({ deleted: true });
    expect(await world.store.deleteGroup(shelf.id)).toBeNull();
    expect(await world.store.groupsOf([account.accountId])).toEqual(new Map());
    await world.report([{ id: 'd1' }, { id: 'd2' }]);
    const back = { condition: 'maintenance', maintenance: true, group: null };
    expect(await world.store.getFleetDevice('d2')).toMatchObject(back);
    await expectInvariants(world);
  });

  test('a phone keeps its group while it is away, renamed, or forgotten', async () => {
    const shelf = await group();
    await world.report([{ id: 'd1' }]);
    await put('d1', shelf);
    await world.store.changeDevice({ deviceId: 'd1', name: 'new' });
    await world.report([]);
    await world.store.forgetDevice('d1');
    await world.report([{ id: 'd1' }]);
    await world.report([], { hostId: 'host-1' });
    await world.report([{ id: 'd1' }], { hostId: 'host-2' });
    expect(await world.store.getFleetDevice('d1')).toMatchObject({ name: 'new', group: { id: shelf.id } });
  });

  test('narrow the operators’ list', async () => {
    const shelf = await group();
    await world.report([{ id: 'd1' }, { id: 'd2' }]);
    await put('d1', shelf);
    const list = async (groupId: string | null) =>
      (await world.store.listFleetDevices({ ...all, groupId })).items.map(({ id }) => id);
    expect([await list(shelf.id), await list(null), await list('grp_none')]).toEqual([['d1'], ['d2'], []]);
  });

  test('tell of each account which it is in', async () => {
    const [one, two, three] = [await world.account(), await world.account(), await world.account()];
    const [a, b] = [await group([one, two]), await group([one])];
    await admit(a, [one, three]);
    const ids = [one, two, three].map(({ accountId }) => accountId);
    expect(await world.store.groupsOf(ids)).toEqual(
      new Map([
        [one.accountId, new Set([a.id, b.id])],
        [three.accountId, new Set([a.id])],
      ]),
    );
  });
}

function sightTests(world: World): void {
  const { group, put, admit, seen } = groupActions(world);

  /** d1 is everybody's, d2 and d3 are the insider's. */
  async function shelf() {
    const [insider, outsider] = [await world.account(), await world.account()];
    const inside = await group([insider]);
    await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
    await put('d2', inside);
    await put('d3', inside);
    return { insider, outsider, inside };
  }

  test('is in the lists of its accounts alone, their totals included, with every filter', async () => {
    const { insider, outsider, inside } = await shelf();
    await world.lend(insider, 'd3');
    for (const query of [
      {},
      { brand: 'google' },
      { osVersion: '14' },
      { brand: 'Google', osVersion: '14' },
    ]) {
      expect(await seen(insider, query)).toEqual({ total: 3, ids: ['d1', 'd2', 'd3'] });
      expect(await seen(outsider, query)).toEqual({ total: 1, ids: ['d1'] });
      const busy = { ...query, status: 'busy' };
      expect(await seen(insider, busy)).toEqual({ total: 1, ids: ['d3'] });
      expect(await seen(outsider, busy)).toEqual({ total: 0, ids: [] });
    }
    expect(await seen(insider, { page: 2, pageSize: 2 })).toEqual({ total: 3, ids: ['d3'] });
    await admit(inside, [outsider]);
    expect(await seen(insider)).toEqual({ total: 1, ids: ['d1'] });
    expect(await seen(outsider)).toEqual({ total: 3, ids: ['d1', 'd2', 'd3'] });
    await put('d2', null);
    expect(await seen(insider)).toEqual({ total: 2, ids: ['d1', 'd2'] });
    await expectInvariants(world);
  });

  test('is got and lent as one that does not exist by the others', async () => {
    const { insider, outsider } = await shelf();
    expect(await world.store.getDevice('d2', outsider.accountId)).toBeNull();
    expect(await world.store.getDevice('d2', insider.accountId)).toMatchObject({ id: 'd2' });
    const idempotency = { key: 'k', fingerprint: 'f' };
    for (const more of [{}, { idempotency }, { minutes: 10_000 }]) {
      expect(await world.connect(outsider, 'd2', more)).toEqual(NOT_FOUND);
    }
    await world.lend(insider, 'd2');
    expect(await world.connect(outsider, 'd2')).toEqual(NOT_FOUND);
    await world.store.changeDevice({ deviceId: 'd3', maintenance: true });
    expect(await world.connect(outsider, 'd3')).toEqual(NOT_FOUND);
    expect((await world.store.usage(outsider.accountId))?.minutes.used).toBe(0);
    await expectInvariants(world);
  });

  test('that is taken from sight while it is lent is lent to the end, and not again', async () => {
    const { insider, outsider, inside } = await shelf();
    const idempotency = { key: 'k', fingerprint: 'f' };
    const session = await world.lend(insider, 'd2', { idempotency });
    await admit(inside, [outsider]);
    expect(await world.store.getSession(session.id, insider.accountId)).toMatchObject({ deviceId: 'd2' });
    await world.bringUp(session);
    const more = { sessionId: session.id, accountId: insider.accountId, minutes: 5, maxMinutes: 60 };
    expect(await world.store.extend(more)).toMatchObject({ ok: true });
    expect(await world.connect(insider, 'd2', { idempotency })).toMatchObject({ ok: true, replayed: true });
    expect(await world.connect(insider, 'd2')).toEqual(NOT_FOUND);
    expect(await world.store.end({ sessionId: session.id, reason: 'client' })).toMatchObject({ ended: true });
    expect(await world.connect(insider, 'd2')).toEqual(NOT_FOUND);
    await world.report([{ id: 'd2', cleanEpoch: session.epoch }], { complete: false });
    await world.lend(outsider, 'd2');
    await expectInvariants(world);
  });
}

function queueTests(world: World): void {
  const { group, put, seen } = groupActions(world);
  const ask = (account: Account, sessionId: string, mayWait = true) =>
    world.store.borrow({
      ...{ sessionId, accountId: account.accountId, keyId: account.keyId, filter: ANY },
      ...{ minutes: 30, appId: null, idempotency: null },
      wait: mayWait ? { processId: 'p1', maxWaiting: 100, maxWaitingPerAccount: 100 } : null,
    });
  const turn = () => world.store.nextTurn({ processId: 'p1', filter: ANY });
  const busy = (id: string) => ({ id, cleanEpoch: null });
  const free = (...ids: string[]) =>
    world.report(
      ids.map((id) => ({ id, cleanEpoch: 0 })),
      { complete: false },
    );

  test('lends nobody a phone that it does not show, and says that none matches', async () => {
    const [insider, outsider] = [await world.account(), await world.account()];
    const inside = await group([insider]);
    await world.report([{ id: 'd1' }]);
    await put('d1', inside);
    expect(await ask(outsider, 's1')).toEqual({ state: 'refused', refusal: { why: 'no-phone-matches' } });
    expect(await ask(insider, 's2')).toMatchObject({ state: 'lent', session: { deviceId: 'd1' } });
    expect(await ask(outsider, 's3')).toEqual({ state: 'refused', refusal: { why: 'no-phone-matches' } });
  });

  test('passes over those before who do not see the phone, and keeps the turn of those who do', async () => {
    const [insider, outsider] = [await world.account(), await world.account()];
    const inside = await group([insider]);
    await world.report([busy('d1'), busy('d2')]);
    await put('d2', inside);
    for (const [account, id] of [
      [outsider, 's1'],
      [insider, 's2'],
      [outsider, 's3'],
    ] as const) {
      expect(await ask(account, id)).toEqual({ state: 'waiting' });
    }
    await free('d2');
    expect(await turn()).toMatchObject({ sessionId: 's2', outcome: { session: { deviceId: 'd2' } } });
    expect(await turn()).toBeNull();
    await free('d1');
    expect(await ask(insider, 's4', false)).toEqual({ state: 'refused', refusal: { why: 'none-free' } });
    expect(await turn()).toMatchObject({ sessionId: 's1', outcome: { session: { deviceId: 'd1' } } });
    expect(await turn()).toBeNull();
    await expectInvariants(world);
  });

  test('tells each account of the phones that it sees, and of those who wait for them', async () => {
    const [insider, outsider, other] = [await world.account(), await world.account(), await world.account()];
    const [inside, elsewhere] = [await group([insider, other]), await group([outsider])];
    await world.report([busy('d1'), busy('d2'), busy('d3')]);
    await put('d1', inside);
    await put('d2', inside);
    await put('d3', elsewhere);
    await ask(insider, 's1');
    await ask(outsider, 's2');
    await ask(other, 's3');
    const ids = [insider, outsider, other].map(({ accountId }) => accountId);
    const standings = await world.store.queueStandings(ANY, ids);
    expect(ids.map((id) => standings.get(id))).toEqual([
      { matching: 2, waiting: ['s1', 's3'] },
      { matching: 1, waiting: ['s2'] },
      { matching: 2, waiting: ['s1', 's3'] },
    ]);
    expect(await seen(outsider)).toEqual({ total: 1, ids: ['d3'] });
  });
}

function eventTests(world: World): void {
  const { group, put, admit } = groupActions(world);
  const now = async () => (await world.store.readEvents(null, 1)).cursor;
  async function eventsOf(work: () => Promise<unknown>) {
    const before = await now();
    await work();
    const { events } = await world.store.readEvents(before, 100);
    return events.map(({ kind, id, accountId, groupId }) => ({ kind, id, to: accountId ?? groupId }));
  }

  test('tells the group that a phone is in of it, and the one that it left as well', async () => {
    const [a, b] = [await group(), await group()];
    await world.report([{ id: 'd1' }]);
    const d1 = (to: string | null) => ({ kind: 'device', id: 'd1', to });
    const told = async (work: () => Promise<unknown>) => new Set((await eventsOf(work)).map(({ to }) => to));
    expect(await told(() => put('d1', a))).toEqual(new Set([null, a.id]));
    expect(await told(() => put('d1', b))).toEqual(new Set([a.id, b.id]));
    expect(await eventsOf(() => world.store.changeDevice({ deviceId: 'd1', name: 'x' }))).toEqual([d1(b.id)]);
    expect(await eventsOf(() => put('d1', b))).toEqual([]);
    expect(await told(() => put('d1', null))).toEqual(new Set([b.id, null]));
    await put('d1', a);
    expect(await eventsOf(() => world.report([]))).toEqual([d1(a.id)]);
    // Not shown before, nor after
    expect(await eventsOf(() => put('d1', b))).toEqual([]);
    expect(await eventsOf(() => world.report([{ id: 'd1' }]))).toEqual([d1(b.id)]);
    await expectInvariants(world);
  });

  test('tells accounts that come into a group or leave it to look again, and no others', async () => {
    const [one, two, three] = [await world.account(), await world.account(), await world.account()];
    const shelf = await group([one, two]);
    const sight = ({ accountId }: Account) => ({ kind: 'sight', id: '', to: accountId });
    const told = await eventsOf(() => admit(shelf, [one, three]));
    expect(told).toHaveLength(2);
    expect(told).toEqual(expect.arrayContaining([sight(two), sight(three)]));
    const last = await eventsOf(() => world.store.deleteGroup(shelf.id));
    expect(last).toHaveLength(2);
    expect(last).toEqual(expect.arrayContaining([sight(one), sight(three)]));
  });
}

function concurrencyTests(world: World): void {
  const { group, put, admit } = groupActions(world);

  test('a connect that begins after a change sees it, whatever goes on beside it', async () => {
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

  test('a group that is deleted while phones are put into it takes none with it', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => `d${at}`);
    await world.report(ids.map((id) => ({ id })));
    const shelf = await group();
    const [deleted, ...placed] = await Promise.all([
      world.store.deleteGroup(shelf.id),
      ...ids.map((deviceId) => world.store.changeDevice({ deviceId, groupId: shelf.id })),
    ]);
    const inIt = placed.filter((outcome) => outcome !== 'no-such-group').length;
    const { total } = await world.store.listFleetDevices({ ...all, groupId: shelf.id });
    expect(total).toBe(inIt);
    expect(deleted).toMatchObject(inIt === 0 ? { deleted: true } : { deleted: expect.any(Boolean) });
    if (deleted?.deleted) expect(inIt).toBe(0);
    await expectInvariants(world);
  });

  test('accounts that come and go at once leave the last list that was said', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => world.account()));
    const shelf = await group(accounts);
    const lists = accounts.map((_, at) => accounts.filter((_account, index) => index !== at));
    const outcomes = await Promise.all(lists.map((list) => admit(shelf, list)));
    const { items } = await world.store.pageGroups(all);
    const idsOf = (row: GroupRow) => row.accounts.map(({ id }) => id).sort();
    const said = outcomes.map((outcome) => (outcome?.ok ? idsOf(outcome.group) : []));
    for (const ids of said) expect(ids).toHaveLength(5);
    expect(said).toContainEqual(idsOf(items[0]!));
  });
}
