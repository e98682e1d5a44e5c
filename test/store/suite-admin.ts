import { describe, expect, test } from 'vitest';
import type { FleetDeviceQuery } from '../../src/store/devices/device-store.ts';
import { expectInvariants } from './invariants.ts';
import { MINUTE, type World } from './world.ts';

const HOUR = 60 * MINUTE;
const all = { page: 1, pageSize: 100 };

export function adminTests(world: World): void {
  const list = async (query: Partial<FleetDeviceQuery> = {}) => {
    const page = await world.store.listFleetDevices({ ...all, ...query });
    return { total: page.total, ids: page.items.map(({ id }) => id) };
  };
  const phone = (id: string, more: object = {}) => ({
    id,
    description: {
      id,
      name: `Phone ${id}`,
      brand: 'Google',
      model: 'GX7AS',
      os_version: '14',
      screen_size: '6.1',
      resolution: '1080x2400',
      ...more,
    },
  });

  describe('devices of the fleet', () => {
    test('are all listed by id in any condition, and every filter applies', async () => {
      await world.report([
        phone('a', { name: 'Shelf_1', model: 'ÄB%1' }),
        { ...phone('b', { brand: 'Samsung' }), usable: false, problem: 'unauthorized: press Allow' },
        phone('c'),
      ]);
      await world.report([phone('d')], { hostId: 'host-2', hostName: 'attic' });
      await world.startSession(await world.account(), 'c');
      await world.store.updateDevice({ deviceId: 'd', maintenance: true });
      expect(await list()).toEqual({ total: 4, ids: ['a', 'b', 'c', 'd'] });
      expect(await list({ page: 2, pageSize: 3 })).toEqual({ total: 4, ids: ['d'] });
      expect(await list({ page: 9, pageSize: 3 })).toEqual({ total: 4, ids: [] });
      expect(await list({ condition: 'offline' })).toEqual({ total: 1, ids: ['b'] });
      expect(await list({ condition: 'maintenance' })).toEqual({ total: 1, ids: ['d'] });
      expect(await list({ hostId: 'host-2' })).toEqual({ total: 1, ids: ['d'] });
      expect(await list({ brand: 'SAMSUNG' })).toEqual({ total: 1, ids: ['b'] });
      expect(await list({ search: 'shelf_' })).toEqual({ total: 1, ids: ['a'] });
      expect(await list({ search: 'PHONE ' })).toEqual({ total: 3, ids: ['b', 'c', 'd'] });
      expect(await list({ search: 'Äb%' })).toEqual({ total: 1, ids: ['a'] });
      expect(await list({ search: '%' })).toEqual({ total: 1, ids: ['a'] });
      expect(await list({ search: '_' })).toEqual({ total: 1, ids: ['a'] });
      expect(await list({ search: '\\' })).toEqual({ total: 0, ids: [] });
      expect(await list({ search: 'gx7', condition: 'busy' })).toEqual({ total: 1, ids: ['c'] });
    });

    test('include their host, their session and the end of the previous session', async () => {
      const account = await world.account({ name: 'team' });
      await world.report([phone('a')]);
      const before = await world.startSession(account, 'a');
      world.travel(MINUTE);
      const { session: ended } = (await world.store.end({ sessionId: before.id, reason: 'client' }))!;
      await world.report([{ ...phone('a'), cleanEpoch: 1 }]);
      const live = await world.startSession(account, 'a', { minutes: 5 });
      expect(await world.store.getFleetDevice('a')).toMatchObject({
        condition: 'busy',
        present: true,
        host: { id: 'host-1', name: 'shelf', lost: false, revokedAt: null },
        session: {
          id: live.id,
          status: 'connecting',
          accountId: account.accountId,
          accountName: 'team',
          createdAt: live.createdAt,
          expiresAt: live.expiresAt,
        },
        lastSessionEndedAt: ended.endedAt,
      });
      expect(await world.store.getFleetDevice('unknown')).toBeNull();
    });

    test('keep the name that an operator set, whatever their hosts report', async () => {
      await world.report([phone('a')]);
      const renamed = await world.store.updateDevice({ deviceId: 'a', name: 'Lab 1' });
      expect(renamed).toMatchObject({ name: 'Lab 1', ownName: 'Phone a' });
      await world.report([phone('a', { name: 'Pixel', os_version: '15' })]);
      expect(await world.store.getFleetDevice('a')).toMatchObject({ name: 'Lab 1', ownName: 'Pixel' });
      expect(await world.device('a')).toMatchObject({ name: 'Lab 1', os_version: '15' });
      const again = await world.store.updateDevice({ deviceId: 'a', name: 'Lab 2' });
      expect(again).toMatchObject({ name: 'Lab 2', ownName: 'Pixel' });
      expect(await world.store.updateDevice({ deviceId: 'a', name: null })).toMatchObject({
        name: 'Pixel',
        ownName: 'Pixel',
      });
      await world.report([phone('a', { name: 'Other' })]);
      expect(await world.device('a')).toMatchObject({ name: 'Other' });
      expect(await world.store.updateDevice({ deviceId: 'unknown', name: 'x' })).toBeNull();
    });

    test('in maintenance are not available, and one in use keeps its session until it ends', async () => {
      const account = await world.account();
      await world.report([phone('a'), phone('b')]);
      const note = { maintenance: true, maintenanceNote: 'new battery' };
      expect(await world.store.updateDevice({ deviceId: 'a', ...note })).toMatchObject({
        condition: 'maintenance',
        ...note,
      });
      expect(await world.connect(account, 'a')).toMatchObject({ refusal: { reason: 'maintenance' } });
      const session = await world.startSession(account, 'b');
      expect(await world.store.updateDevice({ deviceId: 'b', maintenance: true })).toMatchObject({
        condition: 'busy',
        maintenance: true,
        session: { id: session.id },
      });
      await expectInvariants(world);
      await world.store.end({ sessionId: session.id, reason: 'client' });
      await world.report([phone('a'), { ...phone('b'), cleanEpoch: 1 }]);
      expect(await list({ condition: 'maintenance' })).toEqual({ total: 2, ids: ['a', 'b'] });
      expect(await world.store.updateDevice({ deviceId: 'a', maintenance: false })).toMatchObject({
        condition: 'available',
        maintenance: false,
        maintenanceNote: null,
      });
      await world.store.updateDevice({ deviceId: 'b', maintenance: false });
      await world.startSession(account, 'b');
      await expectInvariants(world);
    });

    test('that leave maintenance before they are clean are busy first', async () => {
      const account = await world.account();
      await world.report([phone('a')]);
      const session = await world.startSession(account, 'a');
      await world.store.updateDevice({ deviceId: 'a', maintenance: true });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await world.store.updateDevice({ deviceId: 'a', maintenance: false })).toMatchObject({
        condition: 'busy',
        session: null,
        isClean: false,
      });
    });

    test('can be deleted when they are absent, and reappear when a host reports them', async () => {
      const account = await world.account();
      await world.report([phone('a'), phone('b')]);
      const session = await world.startSession(account, 'a');
      expect(await world.store.deleteDevice('a')).toBe('in-use');
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await world.store.deleteDevice('a')).toBe('present');
      await world.report([phone('b')]);
      expect(await world.store.deleteDevice('a')).toBe('forgotten');
      expect(await world.store.deleteDevice('a')).toBeNull();
      expect(await world.store.deleteDevice('unknown')).toBeNull();
      expect(await list()).toEqual({ total: 1, ids: ['b'] });
      expect(await world.store.getFleetDevice('a')).toBeNull();
      expect(await world.store.updateDevice({ deviceId: 'a', maintenance: true })).toBeNull();
      expect(await world.connect(account, 'a')).toMatchObject({ refusal: { why: 'device-not-found' } });
      expect((await world.store.listFleetSessions(all)).items).toMatchObject([{ deviceName: 'Phone a' }]);
      await world.report([{ ...phone('a'), cleanEpoch: 1 }, phone('b')]);
      expect(await list()).toEqual({ total: 2, ids: ['a', 'b'] });
      await world.startSession(account, 'a');
    });
  });

  describe('hosts of the fleet', () => {
    test('are listed by name with the states of their phones', async () => {
      const account = await world.account();
      await world.report([phone('a'), phone('b'), { ...phone('c'), usable: false, problem: 'x' }]);
      await world.report([phone('d')], { hostId: 'host-2', hostName: 'attic' });
      await world.startSession(account, 'a');
      await world.store.updateDevice({ deviceId: 'b', maintenance: true });
      await world.report([phone('e')], { complete: false });
      await world.report([phone('a'), phone('b'), { ...phone('c'), usable: false, problem: 'x' }]);
      const page = await world.store.listHosts(all);
      expect(page.total).toBe(2);
      expect(page.items).toMatchObject([
        { id: 'host-2', name: 'attic', devices: { available: 1, busy: 0 }, phones: 1, liveSessions: 0 },
        {
          id: 'host-1',
          name: 'shelf',
          devices: { available: 0, busy: 1, offline: 2, maintenance: 1 },
          // The phone that the last complete report does not name is not present
          ...{ phones: 3, liveSessions: 1 },
        },
      ]);
      expect((await world.store.listHosts({ page: 2, pageSize: 1 })).items).toMatchObject([{ id: 'host-1' }]);
      expect(await world.store.getHost('host-2')).toEqual(page.items[0]);
      expect(await world.store.getHost('unknown')).toBeNull();
    });
  });

  describe('sessions of the fleet', () => {
    test('are listed newest first, by account, status and device', async () => {
      const [one, two] = [await world.account({ name: 'one' }), await world.account({ name: 'two' })];
      await world.report(['a', 'b', 'c'].map((id) => phone(id)));
      const ids: string[] = [];
      for (const [account, id] of [
        [one, 'a'],
        [two, 'b'],
        [one, 'c'],
      ] as const) {
        ids.unshift((await world.startSession(account, id)).id);
        world.travel(1_000);
      }
      await world.store.end({ sessionId: ids[0]!, reason: 'client' });
      const find = async (query: object) => {
        const page = await world.store.listFleetSessions({ ...all, ...query });
        return { total: page.total, ids: page.items.map(({ id }) => id) };
      };
      expect(await find({})).toEqual({ total: 3, ids });
      expect(await find({ page: 2, pageSize: 2 })).toEqual({ total: 3, ids: [ids[2]] });
      expect(await find({ accountId: one.accountId })).toEqual({ total: 2, ids: [ids[0], ids[2]] });
      expect(await find({ status: 'connecting' })).toEqual({ total: 2, ids: [ids[1], ids[2]] });
      expect(await find({ status: 'disconnected' })).toEqual({ total: 1, ids: [ids[0]] });
      expect(await find({ deviceId: 'b' })).toEqual({ total: 1, ids: [ids[1]] });
      expect(await find({ deviceId: 'b', accountId: one.accountId })).toEqual({ total: 0, ids: [] });
      const [row] = (await world.store.listFleetSessions({ ...all, deviceId: 'b' })).items;
      expect(row).toMatchObject({ accountName: 'two', deviceName: 'Phone b', hostId: 'host-1' });
    });
  });

  describe('utilisation', () => {
    test('sums the minutes used and offered in each hour', async () => {
      const account = await world.account();
      await world.report([phone('a'), phone('b'), { ...phone('c'), usable: false, problem: 'x' }]);
      const toTheHour = HOUR - (world.now() % HOUR);
      world.travel(toTheHour + 50 * MINUTE);
      const long = await world.startSession(account, 'a', { minutes: 120 });
      await world.bringUp(long);
      await world.store.sampleFleet();
      await Promise.all([1, 2, 3].map(() => world.store.sampleFleet()));
      world.travel(MINUTE);
      await world.store.sampleFleet();
      world.travel(14 * MINUTE);
      const short = await world.startSession(account, 'b', { minutes: 30 });
      world.travel(10 * MINUTE);
      await world.store.end({ sessionId: short.id, reason: 'client' });
      const hours = await world.store.getUtilisation(3);
      expect(hours).toHaveLength(3);
      const minutes = hours.map(({ inUseMs }) => Math.round(inUseMs / MINUTE));
      expect(minutes).toEqual([0, 10, 15 + 10]);
      expect(hours.map(({ offeredMinutes }) => offeredMinutes)).toEqual([0, 4, 0]);
      expect(hours.map(({ sampledMinutes }) => sampledMinutes)).toEqual([0, 2, 0]);
      expect(hours[1]!.startsAt % HOUR).toBe(0);
      expect(hours[2]!.startsAt - hours[0]!.startsAt).toBe(2 * HOUR);
    });

    test('retains only the hours that can be queried', async () => {
      await world.store.sampleFleet();
      world.travel(745 * HOUR);
      await world.store.sampleFleet();
      expect(await world.query('select hour from fleet_hours')).toHaveLength(1);
    });
  });
}
