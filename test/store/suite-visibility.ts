import { describe, expect, test } from 'vitest';
import type { PhoneFilter } from '../../src/store/queue/phone-queue.ts';
import { groupActions, NOT_FOUND } from './group-actions.ts';
import { expectInvariants } from './invariants.ts';
import type { Account, World } from './world.ts';

const ANY: PhoneFilter = { brand: '', osVersion: '', model: '' };

/** Tests which phones accounts can see and borrow and which events they receive when phones are in groups. */
export function visibilityTests(world: World): void {
  describe('a phone in a group', () => seenTests(world));
  describe('the queue, with groups', () => queueTests(world));
  describe('the event log, with groups', () => eventTests(world));
}

function seenTests(world: World): void {
  const { group, put, admit, seen } = groupActions(world);

  /** Creates phones: d1 is visible to all accounts, d2 and d3 only to the insider. */
  async function shelf() {
    const [insider, outsider] = [await world.account(), await world.account()];
    const inside = await group([insider]);
    await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
    await put('d2', inside);
    await put('d3', inside);
    return { insider, outsider, inside };
  }

  test('is listed only for its accounts, including totals and with every filter', async () => {
    const { insider, outsider, inside } = await shelf();
    await world.startSession(insider, 'd3');
    for (const query of [
      {},
      { brand: 'google' },
      { os_version: '14' },
      { brand: 'Google', os_version: '14' },
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

  test('does not exist for other accounts', async () => {
    const { insider, outsider } = await shelf();
    expect(await world.store.getDevice('d2', outsider.accountId)).toBeNull();
    expect(await world.store.getDevice('d2', insider.accountId)).toMatchObject({ id: 'd2' });
    const idempotency = { key: 'k', fingerprint: 'f' };
    for (const more of [{}, { idempotency }, { minutes: 10_000 }]) {
      expect(await world.connect(outsider, 'd2', more)).toEqual(NOT_FOUND);
    }
    await world.startSession(insider, 'd2');
    expect(await world.connect(outsider, 'd2')).toEqual(NOT_FOUND);
    await world.store.updateDevice({ deviceId: 'd3', maintenance: true });
    expect(await world.connect(outsider, 'd3')).toEqual(NOT_FOUND);
    expect((await world.store.getUsage(outsider.accountId))?.minutes.used).toBe(0);
    await expectInvariants(world);
  });

  test('continues a session when it becomes invisible to the account, which cannot connect again afterwards', async () => {
    const { insider, outsider, inside } = await shelf();
    const idempotency = { key: 'k', fingerprint: 'f' };
    const session = await world.startSession(insider, 'd2', { idempotency });
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
    await world.startSession(outsider, 'd2');
    await expectInvariants(world);
  });
}

function queueTests(world: World): void {
  const { group, put, seen } = groupActions(world);
  const ask = (account: Account, sessionId: string, mayWait = true) =>
    world.store.borrow({
      ...{ sessionId, accountId: account.accountId, keyId: account.keyId, filter: ANY },
      ...{ minutes: 30, appId: null, record: null, recordText: false, idempotency: null },
      wait: mayWait ? { processId: 'p1', maxWaiting: 100, maxWaitingPerAccount: 100 } : null,
    });
  const turn = () => world.store.nextTurn({ processId: 'p1', filter: ANY });
  const busy = (id: string) => ({ id, cleanEpoch: null });
  const free = (...ids: string[]) =>
    world.report(
      ids.map((id) => ({ id, cleanEpoch: 0 })),
      { complete: false },
    );

  test('never grants an invisible phone, and reports that none matches', async () => {
    const [insider, outsider] = [await world.account(), await world.account()];
    const inside = await group([insider]);
    await world.report([{ id: 'd1' }]);
    await put('d1', inside);
    expect(await ask(outsider, 's1')).toEqual({ state: 'refused', refusal: { why: 'no-phone-matches' } });
    expect(await ask(insider, 's2')).toMatchObject({ state: 'borrowed', session: { deviceId: 'd1' } });
    expect(await ask(outsider, 's3')).toEqual({ state: 'refused', refusal: { why: 'no-phone-matches' } });
  });

  test('skips earlier requests of accounts that cannot see the phone, and keeps the order of the others', async () => {
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

  test('reports to each account only visible phones and the requests that wait for them', async () => {
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
    const standings = await world.store.getQueueStandings(ANY, ids);
    expect(ids.map((id) => standings.get(id))).toEqual([
      { matching: 2, reason: 'cleaning', waiting: ['s1', 's3'] },
      { matching: 1, reason: 'cleaning', waiting: ['s2'] },
      { matching: 2, reason: 'cleaning', waiting: ['s1', 's3'] },
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

  test('notifies the old and the new group of a phone', async () => {
    const [a, b] = [await group(), await group()];
    await world.report([{ id: 'd1' }]);
    const d1 = (to: string | null) => ({ kind: 'device', id: 'd1', to });
    const notified = async (work: () => Promise<unknown>) =>
      new Set((await eventsOf(work)).map(({ to }) => to));
    expect(await notified(() => put('d1', a))).toEqual(new Set([null, a.id]));
    expect(await notified(() => put('d1', b))).toEqual(new Set([a.id, b.id]));
    expect(await eventsOf(() => world.store.updateDevice({ deviceId: 'd1', name: 'x' }))).toEqual([d1(b.id)]);
    expect(await eventsOf(() => put('d1', b))).toEqual([]);
    expect(await notified(() => put('d1', null))).toEqual(new Set([b.id, null]));
    await put('d1', a);
    expect(await eventsOf(() => world.report([]))).toEqual([d1(a.id)]);
    // The phone is visible neither before nor after the change, so there is no event
    expect(await eventsOf(() => put('d1', b))).toEqual([]);
    expect(await eventsOf(() => world.report([{ id: 'd1' }]))).toEqual([d1(b.id)]);
    await expectInvariants(world);
  });

  test('sends a reset to accounts that join or leave a group, and to no others', async () => {
    const [one, two, three] = [await world.account(), await world.account(), await world.account()];
    const shelf = await group([one, two]);
    const visibilityEvent = ({ accountId }: Account) => ({ kind: 'visibility', id: '', to: accountId });
    const notified = await eventsOf(() => admit(shelf, [one, three]));
    expect(notified).toHaveLength(2);
    expect(notified).toEqual(expect.arrayContaining([visibilityEvent(two), visibilityEvent(three)]));
    const last = await eventsOf(() => world.store.deleteGroup(shelf.id));
    expect(last).toHaveLength(2);
    expect(last).toEqual(expect.arrayContaining([visibilityEvent(one), visibilityEvent(three)]));
  });
}
