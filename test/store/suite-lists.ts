import { describe, expect, test } from 'vitest';
import { MINUTE, type World } from './world.ts';

export function listTests(world: World): void {
  describe('listDevices', () => {
    const describePhone = (id: string, brand: string, os_version: string) => ({
      id,
      description: {
        id,
        name: id,
        brand,
        model: 'M',
        os_version,
        screen_size: '6.1',
        resolution: '1080x2400',
      },
    });
    const shelf = [
      describePhone('b-1', 'Google', '14'),
      describePhone('B-2', 'google', '15'),
      describePhone('a-1', 'Samsung', '14'),
      describePhone('a_2', 'Samsung', '15'),
      describePhone('a-3', 'Xiaomi', '14'),
    ];
    const ids = async (query: object) => {
      const page = await world.store.listDevices({ accountId: 'anybody', page: 1, pageSize: 100, ...query });
      return { total: page.total, ids: page.items.map(({ id }) => id) };
    };

    test('is ordered by id in byte order, and every filter applies', async () => {
      await world.report(shelf);
      await world.startSession(await world.account(), 'a-1');
      expect(await ids({})).toEqual({ total: 5, ids: ['B-2', 'a-1', 'a-3', 'a_2', 'b-1'] });
      expect(await ids({ brand: 'GOOGLE' })).toEqual({ total: 2, ids: ['B-2', 'b-1'] });
      expect(await ids({ os_version: '14' })).toEqual({ total: 3, ids: ['a-1', 'a-3', 'b-1'] });
      expect(await ids({ status: 'busy' })).toEqual({ total: 1, ids: ['a-1'] });
      expect(await ids({ status: 'available', os_version: '14' })).toEqual({ total: 2, ids: ['a-3', 'b-1'] });
      expect(await ids({ brand: 'samsung', status: 'available' })).toEqual({ total: 1, ids: ['a_2'] });
      expect(await ids({ brand: 'samsung', status: 'busy', os_version: '15' })).toEqual({
        total: 0,
        ids: [],
      });
    });

    test('is filtered by platform and kind, and a host of an earlier version reports neither', async () => {
      const [one, ...others] = shelf;
      const described = { ...one!.description, platform: 'android' as const, kind: 'physical' as const };
      const capabilities = ['tap', 'text'];
      const usb = describePhone('and-1', 'Google', '14');
      await world.report([{ ...one!, description: described, capabilities }, ...others, usb]);
      expect(await ids({ kind: 'physical' })).toEqual({ total: 2, ids: ['and-1', 'b-1'] });
      expect(await ids({ kind: 'simulated', brand: 'google' })).toEqual({ total: 1, ids: ['B-2'] });
      expect(await ids({ kind: 'physical', page: 2, pageSize: 1 })).toEqual({ total: 2, ids: ['b-1'] });
      expect(await ids({ kind: 'physical', page: 9 })).toEqual({ total: 2, ids: [] });
      expect((await ids({ platform: 'android' })).total).toBe(6);
      const details = (id: string) => world.store.getDevice(id, 'anybody');
      expect(await details('b-1')).toMatchObject({ platform: 'android', kind: 'physical', capabilities });
      expect(await details('and-1')).toMatchObject({ kind: 'physical', capabilities: null });
    });

    test('is paged, with no items and the correct total past the end', async () => {
      await world.report(shelf);
      expect(await ids({ page: 2, pageSize: 2 })).toEqual({ total: 5, ids: ['a-3', 'a_2'] });
      expect(await ids({ page: 3, pageSize: 2 })).toEqual({ total: 5, ids: ['b-1'] });
      expect(await ids({ page: 1_000_000_000, pageSize: 100 })).toEqual({ total: 5, ids: [] });
    });

    test('contains every change at once, although repeated lists are answered from memory', async () => {
      const { store } = world;
      const account = await world.account();
      const made = await store.createGroup({
        group: { name: 'shelf', accountIds: [] },
        by: account.accountId,
        idempotency: null,
      });
      if (!made.ok) throw new Error('the group was not created');
      const groupId = made.created.id;
      await world.report(shelf);
      const query = { accountId: account.accountId, page: 1, pageSize: 3 };
      const read = async () => {
        const { total, items } = await store.listDevices(query);
        return { total, shown: items.map(({ id, name, status }) => `${id} ${name} ${status}`) };
      };
      const changes: [change: string, total: number, first: string][] = [
        [`update devices set name = 'one' where id = 'B-2'`, 5, 'B-2 one available'],
        [`update devices set name = 'two' where id = 'B-2'`, 5, 'B-2 two available'],
        [`update devices set status = 'busy' where id = 'B-2'`, 5, 'B-2 two busy'],
        [`update devices set group_id = '${groupId}' where id = 'B-2'`, 4, 'a-1 a-1 available'],
        [`insert into group_accounts values ('${account.accountId}', '${groupId}')`, 5, 'B-2 two busy'],
        [`delete from group_accounts`, 4, 'a-1 a-1 available'],
        [`update devices set group_id = null where id = 'B-2'`, 5, 'B-2 two busy'],
        [`update devices set status = 'maintenance' where id = 'B-2'`, 4, 'a-1 a-1 available'],
        [`delete from devices where id = 'a-1'`, 3, 'a-3 a-3 available'],
      ];
      for (const [change, total, first] of changes) {
        for (let n = 0; n < 3; n++) await read();
        // Another connection makes the change, as another process does.
        await world.query(change);
        const found = await read();
        expect([found.total, found.shown[0]]).toEqual([total, first]);
        expect(await Promise.all([read(), read()])).toEqual([found, found]);
      }
    });

    test('has exact pages when they are read in turn and devices before them change', async () => {
      const all = Array.from({ length: 730 }, (_, n) => `p-${1_000 + n}`);
      await world.report(all.map((id) => describePhone(id, 'Google', '14')));
      const pages = Array.from({ length: 8 }, (_, n) => n + 1);
      const listed = async (page: number) => (await ids({ brand: 'google', page })).ids;
      for (let removed = 0; removed < 3; removed++) {
        for (const page of pages) {
          const expected = all.slice(removed).slice((page - 1) * 100, page * 100);
          expect(await listed(page)).toEqual(expected);
        }
        await world.store.updateDevice({ deviceId: all[removed]!, maintenance: true });
        // Right after the change, from the positions of the pages before it
        expect(await listed(7)).toEqual(all.slice(removed + 1).slice(600, 700));
      }
    });

    test('omits phones that are offline or in maintenance', async () => {
      await world.report([shelf[0]!, { ...shelf[1]!, usable: false, problem: 'x' }, shelf[2]!]);
      await world.query(`update devices set maintenance = 1, status = 'maintenance' where id = 'a-1'`);
      expect(await ids({})).toEqual({ total: 1, ids: ['b-1'] });
      expect(await world.device('a-1')).toBeNull();
      expect(await world.device('b-1')).not.toBeNull();
    });
  });

  describe('sessions', () => {
    test('are listed newest first, by account, status and phone', async () => {
      const account = await world.account();
      const other = await world.account();
      const phones = ['d1', 'd2', 'd3', 'd4'].map((id) => ({ id }));
      await world.report(phones);
      const sessions: string[] = [];
      for (const id of ['d1', 'd2', 'd3']) {
        sessions.unshift((await world.startSession(account, id)).id);
        world.travel(1_000);
      }
      await world.startSession(other, 'd4');
      await world.store.end({ sessionId: sessions[0]!, reason: 'client' });
      const list = async (query: object) => {
        const page = await world.store.listSessions({
          accountId: account.accountId,
          page: 1,
          pageSize: 10,
          ...query,
        });
        return { total: page.total, ids: page.items.map(({ id }) => id) };
      };
      expect(await list({})).toEqual({ total: 3, ids: sessions });
      expect(await list({ page: 2, pageSize: 2 })).toEqual({ total: 3, ids: [sessions[2]] });
      expect(await list({ page: 9, pageSize: 2 })).toEqual({ total: 3, ids: [] });
      expect(await list({ status: 'disconnected' })).toEqual({ total: 1, ids: [sessions[0]] });
      expect(await list({ deviceId: 'd1' })).toEqual({ total: 1, ids: [sessions[2]] });
      expect(await list({ status: 'connected', deviceId: 'd1' })).toEqual({ total: 0, ids: [] });
    });

    test('are returned by id with the time left by the store’s clock', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const one = await world.startSession(account, 'd1', { minutes: 10 });
      const two = await world.startSession(account, 'd2', { minutes: 20 });
      world.travel(MINUTE);
      const found = await world.store.getSessions([one.id, 'unknown', two.id]);
      const left = new Map(found.map(({ id, remainingMs }) => [id, remainingMs]));
      expect([...left.keys()].sort()).toEqual([one.id, two.id].sort());
      expect(left.get(one.id)).toBeLessThanOrEqual(9 * MINUTE);
      expect(left.get(two.id)).toBeGreaterThan(18 * MINUTE);
      expect(await world.store.getSessions([])).toEqual([]);
    });
  });

  test('usage of an unknown account is null', async () => {
    expect(await world.store.getUsage('acc_unknown')).toBeNull();
  });
}
