import { describe, expect, test } from 'vitest';
import type { SessionRow } from '../../src/store/entities.ts';
import { expectInvariants } from './invariants.ts';
import { MINUTE, type World } from './world.ts';

const leaseOf = ({ id, epoch }: SessionRow, connected: boolean) => ({
  sessionId: id,
  epoch,
  connected,
  app: null,
});

export function hostTests(world: World): void {
  describe('reportHost', () => {
    test('adds new phones with a lower-case brand, which are available once clean', async () => {
      const { assignments } = await world.report([{ id: 'd1' }, { id: 'd2', cleanEpoch: null }]);
      expect(assignments).toEqual([
        { deviceId: 'd1', epoch: 0, cleanEpoch: 0, lease: null },
        { deviceId: 'd2', epoch: 0, cleanEpoch: -1, lease: null },
      ]);
      expect(await world.device('d1')).toEqual({
        id: 'd1',
        name: 'Phone d1',
        brand: 'google',
        model: 'GX7AS',
        os_version: '14',
        screen_size: '6.1',
        resolution: '1080x2400',
        platform: 'android',
        kind: 'simulated',
        battery_percent: null,
        hostId: 'host-1',
        hostName: 'shelf',
        groupId: null,
        status: 'available',
        freeAt: null,
      });
      expect(await world.device('d2')).toMatchObject({ status: 'busy' });
    });

    test('deletes an absent phone that was never usable, and keeps any other', async () => {
      const listed = async () =>
        (await world.store.listFleetDevices({ page: 1, pageSize: 20 })).items.map(({ id }) => id);
      await world.report([
        { id: 'd1' },
        { id: 'd2', cleanEpoch: null, usable: false, problem: 'unauthorized' },
      ]);
      expect(await listed()).toEqual(['d1', 'd2']);
      await world.report([{ id: 'd3' }]);
      expect(await listed()).toEqual(['d1', 'd3']);
      await world.report([{ id: 'd2' }, { id: 'd3' }]);
      expect(await listed()).toEqual(['d1', 'd2', 'd3']);
    });

    test('returns the live lease to the host, and records the session as connected once', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1', { appId: await world.app(account) });
      const app = { appId: session.appId!, request: 1 };
      const response = await world.report([{ id: 'd1' }]);
      expect(response.changed).toEqual([]);
      expect(response.assignments).toEqual([
        {
          deviceId: 'd1',
          epoch: 1,
          cleanEpoch: 0,
          lease: { sessionId: session.id, epoch: 1, remainingMs: expect.any(Number), app, recording: null },
        },
      ]);
      const up = await world.report([{ id: 'd1', lease: leaseOf(session, true) }]);
      expect(up.changed).toMatchObject([
        { id: session.id, status: 'connected', connectedAt: expect.any(Number) },
      ]);
      world.travel(MINUTE);
      const again = await world.report([{ id: 'd1', lease: leaseOf(session, true) }]);
      expect(again.changed).toEqual([]);
      expect((await world.store.getSession(session.id))?.connectedAt).toBe(up.changed[0]?.connectedAt);
      // A late report from before the phone was ready does not revert the status
      expect((await world.report([{ id: 'd1', lease: leaseOf(session, false) }])).changed).toEqual([]);
      expect(await world.store.getSession(session.id)).toMatchObject({ status: 'connected' });
    });

    test('records a session as connected once when two reports say so at the same time', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      const reports = await Promise.all(
        [1, 2].map(() => world.report([{ id: 'd1', lease: leaseOf(session, true) }], { complete: false })),
      );
      expect(reports.flatMap(({ changed }) => changed)).toMatchObject([
        { id: session.id, status: 'connected' },
      ]);
      await expectInvariants(world);
    });

    test('records the progress of the app', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1', { appId: await world.app(account) });
      const app = { request: 1, status: 'installed' as const, error: null };
      const lease = { ...leaseOf(session, true), app };
      const { changed } = await world.report([{ id: 'd1', lease }]);
      expect(changed).toMatchObject([{ status: 'connected', appStatus: 'installed' }]);
      expect((await world.report([{ id: 'd1', lease }])).changed).toEqual([]);
    });

    test('returns current orders but changes nothing for a lease that has ended or has an older epoch', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const old = await world.startSession(account, 'd1');
      await world.store.end({ sessionId: old.id, reason: 'client' });
      const response = await world.report([{ id: 'd1', lease: leaseOf(old, true) }]);
      expect(response).toEqual({
        assignments: [{ deviceId: 'd1', epoch: 1, cleanEpoch: 0, lease: null }],
        changed: [],
        refused: [],
        wasLost: false,
      });
      await world.report([{ id: 'd1', cleanEpoch: 1 }]);
      const session = await world.startSession(account, 'd1');
      const late = await world.report([{ id: 'd1', cleanEpoch: 0, lease: leaseOf(old, true) }]);
      expect(late.changed).toEqual([]);
      expect(late.assignments).toMatchObject([{ epoch: 2, lease: { sessionId: session.id, epoch: 2 } }]);
      const forged = { ...leaseOf(session, true), epoch: 1 };
      expect((await world.report([{ id: 'd1', lease: forged }])).changed).toEqual([]);
    });

    test('does not record a phone in use as clean during its own lease, whatever the host reports', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      await world.report([{ id: 'd1', cleanEpoch: 1 }]);
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await world.device('d1')).toMatchObject({ status: 'busy' });
      await world.report([{ id: 'd1', cleanEpoch: null }]);
      await world.report([{ id: 'd1', cleanEpoch: 1 }]);
      await world.report([{ id: 'd1', cleanEpoch: 0 }]);
      expect(await world.device('d1')).toMatchObject({ status: 'available' });
    });

    test('raises the epoch if a host reports a higher one than the rows contain', async () => {
      const account = await world.account();
      const { assignments } = await world.report([{ id: 'd1', cleanEpoch: 7 }]);
      expect(assignments).toEqual([{ deviceId: 'd1', epoch: 7, cleanEpoch: 7, lease: null }]);
      expect(await world.startSession(account, 'd1')).toMatchObject({ epoch: 8 });
    });

    test('takes a phone that is missing from a complete report offline, and ends its session', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const session = await world.startSession(account, 'd1');
      await world.bringUp(session);
      const partial = await world.report([{ id: 'd2' }], { complete: false });
      expect(partial.changed).toEqual([]);
      const { changed, assignments } = await world.report([{ id: 'd2' }]);
      expect(changed).toMatchObject([{ id: session.id, endReason: 'device_lost', minutesCharged: 1 }]);
      expect(assignments.map(({ deviceId }) => deviceId)).toEqual(['d2']);
      expect(await world.device('d1')).toBeNull();
      await world.report([{ id: 'd1', cleanEpoch: 0 }, { id: 'd2' }]);
      expect(await world.device('d1')).toMatchObject({ status: 'busy' });
    });

    test('takes an unusable phone offline, and ends its session with the problem', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      const { changed } = await world.report([{ id: 'd1', usable: false, problem: 'unauthorized' }]);
      expect(changed).toMatchObject([
        { id: session.id, endReason: 'device_lost', endDetail: 'unauthorized', minutesCharged: 0 },
      ]);
      expect(await world.device('d1')).toBeNull();
    });

    test('updates the properties of a phone', async () => {
      await world.report([{ id: 'd1' }]);
      const description = {
        id: 'd1',
        name: 'New name',
        brand: 'Samsung',
        model: 'S24',
        os_version: '15',
        screen_size: '6.2',
        resolution: '1x1',
      };
      await world.report([{ id: 'd1', description }]);
      expect(await world.device('d1')).toMatchObject({ ...description, brand: 'samsung' });
      const list = (brand: string) =>
        world.store.listDevices({ accountId: 'anybody', brand, page: 1, pageSize: 1 });
      expect((await list('google')).total).toBe(0);
      expect((await list('SAMSUNG')).total).toBe(1);
    });

    test('keeps a device with the host that first reported it, whatever the state of that host', async () => {
      const claim = () => world.report([{ id: 'd1', cleanEpoch: 7 }], { hostId: 'host-2' });
      const refused = [{ deviceId: 'd1', why: { reason: 'other-host', hostId: 'host-1' } }];
      await world.report([{ id: 'd1' }]);
      expect(await claim()).toMatchObject({ assignments: [], refused });
      world.travel(11_000);
      await world.report([], { hostId: 'host-2', complete: false });
      await world.store.reap({ limit: 10, hostSilenceMs: () => 10_000 });
      expect(await claim()).toMatchObject({ assignments: [], refused });
      await world.report([]);
      expect(await claim()).toMatchObject({ assignments: [], refused });
      const row = await world.store.getFleetDevice('d1');
      expect(row).toMatchObject({ host: { id: 'host-1' }, present: false, claimedBy: { id: 'host-2' } });
      await world.report([{ id: 'd1' }]);
      expect(await world.device('d1')).toMatchObject({ hostId: 'host-1', status: 'available' });
    });

    test('deletes a claim when the other host no longer reports the device', async () => {
      await world.report([{ id: 'd1' }]);
      await world.report([{ id: 'd1' }], { hostId: 'host-2' });
      world.travel(91_000);
      expect(await world.store.getFleetDevice('d1')).toMatchObject({ claimedBy: null });
      await world.report([{ id: 'd1' }], { hostId: 'host-2' });
      expect(await world.store.getFleetDevice('d1')).toMatchObject({ claimedBy: { id: 'host-2' } });
    });

    test('moves a device to another host after its own was revoked, or after an operator deleted the device', async () => {
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      await world.report([{ id: 'd1' }]);
      expect(await world.store.deleteDevice('d2')).toBe('forgotten');
      await world.report([{ id: 'd2' }], { hostId: 'host-2' });
      expect(await world.device('d2')).toMatchObject({ hostId: 'host-2', status: 'available' });
      await world.store.revokeHost('host-1');
      await world.report([{ id: 'd1' }, { id: 'd2' }], { hostId: 'host-2' });
      expect(await world.device('d1')).toMatchObject({ hostId: 'host-2', status: 'available' });
    });

    test('keeps a device offline after an operator moves it, until its new host reports it', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      await world.report([{ id: 'd1' }], { hostId: 'host-2' });
      const move = (hostId: string) => world.store.updateDevice({ deviceId: 'd1', hostId });
      expect(await move('unknown')).toBe('no-such-host');
      const session = await world.startSession(account, 'd1');
      expect(await move('host-2')).toBe('in-use');
      await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(await move('host-2')).toMatchObject({
        host: { id: 'host-2' },
        condition: 'offline',
        claimedBy: null,
      });
      expect((await world.report([{ id: 'd1', cleanEpoch: 1 }])).refused).toHaveLength(1);
      await world.report([{ id: 'd1', cleanEpoch: 1 }], { hostId: 'host-2' });
      expect(await world.device('d1')).toMatchObject({ hostId: 'host-2', status: 'available' });
      await world.store.revokeHost('host-1');
      expect(await move('host-1')).toBe('no-such-host');
    });

    test('limits the number of devices that a host can add, in one report or in several', async () => {
      const ids = (from: number, count: number) =>
        Array.from({ length: count }, (_, n) => ({ id: `d${from + n}` }));
      const limited = { maxDevices: 3 };
      const first = await world.report(ids(0, 5), limited);
      expect(first.refused.map(({ why }) => why.reason)).toEqual(['too-many', 'too-many']);
      for (let from = 10; from < 50; from += 5) {
        const { assignments } = await world.report(ids(from, 5), limited);
        expect(assignments).toEqual([]);
      }
      expect((await world.store.listFleetDevices({ page: 1, pageSize: 10 })).total).toBe(3);
      const own = first.assignments.map(({ deviceId }) => ({ id: deviceId }));
      expect((await world.report(own, limited)).refused).toEqual([]);
      await world.report(own.slice(1), limited);
      await world.store.deleteDevice(own[0]!.id);
      expect((await world.report(ids(60, 1), { ...limited, complete: false })).refused).toEqual([]);
      expect((await world.report([own[0]!], { ...limited, complete: false })).refused).toHaveLength(1);
    });

    test('answers a partial report with the orders of the named phones, and renews the host’s silence period', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
      const session = await world.startSession(account, 'd2');
      const partial = { complete: false };
      expect((await world.report([], partial)).assignments).toEqual([]);
      expect((await world.report([{ id: 'd1' }], partial)).assignments).toMatchObject([{ deviceId: 'd1' }]);
      const lease = leaseOf(session, true);
      const up = await world.report([{ id: 'd2', lease }], partial);
      expect(up.changed).toMatchObject([{ id: session.id, status: 'connected' }]);
      expect(up.assignments).toMatchObject([{ deviceId: 'd2', lease: { sessionId: session.id } }]);
      world.travel(40_000);
      await world.report([], partial);
      world.travel(40_000);
      expect((await world.store.reap({ limit: 10, hostSilenceMs: () => MINUTE })).lostHosts).toEqual([]);
      expect((await world.store.listDevices({ accountId: 'anybody', page: 1, pageSize: 10 })).total).toBe(3);
    });

    test('requests a complete report from an expired host, whose unnamed phones stay offline until it arrives', async () => {
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      world.travel(11_000);
      await world.report([{ id: 'd3' }], { hostId: 'host-2' });
      await world.store.reap({ limit: 10, hostSilenceMs: () => 10_000 });
      const back = await world.report([{ id: 'd1' }], { complete: false });
      expect(back).toMatchObject({ wasLost: true, assignments: [{ deviceId: 'd1' }] });
      expect(await world.device('d1')).toMatchObject({ status: 'available' });
      expect(await world.device('d2')).toBeNull();
      const complete = await world.report([{ id: 'd1' }, { id: 'd2' }]);
      expect(complete.wasLost).toBe(false);
      expect(await world.device('d2')).toMatchObject({ status: 'available' });
    });

    test('does not bring phones of an expired host back online after a partial report that names none', async () => {
      await world.report([{ id: 'd1' }]);
      world.travel(11_000);
      await world.store.reap({ limit: 10, hostSilenceMs: () => 10_000 });
      expect(await world.report([], { complete: false })).toEqual({
        assignments: [],
        changed: [],
        refused: [],
        wasLost: true,
      });
      expect(await world.device('d1')).toBeNull();
      expect((await world.report([], { complete: false })).wasLost).toBe(false);
    });

    test('processes a report of a host with very many phones', async () => {
      const phones = Array.from({ length: 2_500 }, (_, index) => ({ id: `d${index}` }));
      const { assignments } = await world.report(phones);
      expect(assignments).toHaveLength(2_500);
      expect((await world.store.listDevices({ accountId: 'anybody', page: 1, pageSize: 1 })).total).toBe(
        2_500,
      );
    });
  });
}
