import { describe, expect, test } from 'vitest';
import { ALL_ROWS } from '../../src/store/entities.ts';
import type { HostRow } from '../../src/store/hosts/host-store.ts';
import type { World } from './world.ts';

export function hostAdminTests(world: World): void {
  const add = async (name: string) =>
    (await world.store.createHost({ name, publicKey: `U-${name}` })) as HostRow;
  const sendReport = (hostId: string, mustBeKnown = true) =>
    world.store.reportHost({
      hostId,
      hostName: 'as it calls itself',
      complete: true,
      mustBeKnown,
      phones: [],
    });

  test('a secret is created once by the first process that needs it', async () => {
    const seed = new TextEncoder().encode('SUA…');
    expect(await world.store.ensureSecret('bus', () => seed)).toEqual(Buffer.from(seed));
    expect(await world.store.ensureSecret('bus')).toEqual(Buffer.from(seed));
    expect(await world.store.ensureSecret('other')).toHaveLength(32);
  });

  describe('registered hosts', () => {
    test('have unique names, until they are revoked', async () => {
      const host = await add('berlin');
      expect(host).toMatchObject({
        name: 'berlin',
        publicKey: 'U-berlin',
        lastSeen: null,
        lost: true,
        phones: 0,
      });
      expect(await add('berlin')).toBe('name-taken');
      await world.store.revokeHost(host.id);
      expect(await add('berlin')).toMatchObject({ name: 'berlin', revokedAt: null });
    });

    test('can report, and keep their names', async () => {
      const host = await add('berlin');
      expect(await sendReport(host.id)).toEqual({
        assignments: [],
        changed: [],
        wasLost: true,
        refused: [],
      });
      const { items } = await world.store.listHosts(ALL_ROWS);
      expect(items).toMatchObject([{ ...host, lastSeen: expect.any(Number), lost: false }]);
      await sendReport(host.id, false);
      expect(await world.store.getHost(host.id)).toMatchObject({ name: 'berlin' });
    });

    test('cannot report if registration is required and they are unknown', async () => {
      expect(await sendReport('host-unknown')).toBeNull();
      expect(await world.store.listHosts(ALL_ROWS)).toMatchObject({ total: 0, items: [] });
      expect(await sendReport('host-unknown', false)).not.toBeNull();
      expect((await world.store.listHosts(ALL_ROWS)).items).toMatchObject([
        { publicKey: null, name: 'as it calls itself' },
      ]);
    });

    test('lose their sessions and phones when they are revoked, and can no longer report', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      await world.report([{ id: 'd3' }], { hostId: 'host-2' });
      const session = await world.startSession(account, 'd1');
      const other = await world.startSession(account, 'd3');
      await world.bringUp(session);
      const revoked = await world.store.revokeHost('host-1');
      expect(revoked?.host).toMatchObject({
        id: 'host-1',
        lost: true,
        phones: 0,
        revokedAt: expect.any(Number),
      });
      expect(revoked?.ended).toMatchObject([
        { id: session.id, endReason: 'admin', endDetail: 'its host was revoked' },
      ]);
      expect(await sendReport('host-1', false)).toBeNull();
      expect(await world.device('d1')).toBeNull();
      expect(await world.device('d3')).not.toBeNull();
      expect(await world.store.getSession(other.id)).toMatchObject({ status: 'connecting' });
      expect((await world.store.revokeHost('host-1'))?.ended).toEqual([]);
      expect(await world.store.revokeHost('host-nobody')).toBeNull();
    });
  });
}
