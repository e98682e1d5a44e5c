import { describe, expect, test } from 'vitest';
import { MINUTE, type World } from './world.ts';

export function reaperTests(world: World): void {
  describe('the reaper', () => {
    const reap = (limit = 100, hostSilenceMs: number | null = null) =>
      world.store.reap({ limit, hostSilenceMs: () => hostSilenceMs });

    test('ends expired sessions and no others', async () => {
      const account = await world.account({ quotaMinutes: 100 });
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const short = await world.startSession(account, 'd1', { minutes: 10 });
      const long = await world.startSession(account, 'd2', { minutes: 30 });
      await world.bringUp(short);
      await world.bringUp(long);
      world.travel(9 * MINUTE);
      expect((await reap()).ended).toEqual([]);
      world.travel(MINUTE);
      const { ended } = await reap();
      expect(ended).toMatchObject([{ id: short.id, endReason: 'expired', minutesCharged: 10 }]);
      expect(await reap()).toEqual({ ended: [], lostHosts: [] });
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(40);
    });

    test('respects an extension', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1', { minutes: 10 });
      await world.bringUp(session);
      await world.store.extend({ sessionId: session.id, minutes: 5, maxMinutes: 60 });
      world.travel(12 * MINUTE);
      expect((await reap()).ended).toEqual([]);
      world.travel(3 * MINUTE);
      expect((await reap()).ended).toMatchObject([{ id: session.id, endReason: 'expired' }]);
    });

    test('ends sessions that are not connected within 60 seconds, free of charge', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      world.travel(30_000);
      expect((await reap()).ended).toEqual([]);
      world.travel(30_000);
      const { ended } = await reap();
      expect(ended).toMatchObject([{ id: session.id, endReason: 'start_timeout', minutesCharged: 0 }]);
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(0);
    });

    test('ends the sessions of a silent host, refunded from its last contact, and takes its phones offline', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const session = await world.startSession(account, 'd1');
      await world.bringUp(session);
      world.travel(90_000);
      await world.report([{ id: 'd2' }], { complete: false });
      world.travel(MINUTE);
      expect(await reap(100, 2 * MINUTE)).toEqual({ ended: [], lostHosts: [] });
      world.travel(5 * MINUTE);
      const { ended, lostHosts } = await reap(100, 10_000);
      expect(lostHosts).toEqual(['host-1']);
      expect(ended).toMatchObject([{ id: session.id, endReason: 'host_lost', minutesCharged: 2 }]);
      expect((await world.store.listDevices({ accountId: 'anybody', page: 1, pageSize: 10 })).total).toBe(0);
      expect(await world.connect(account, 'd2')).toEqual({
        ok: false,
        refusal: { why: 'device-unavailable', reason: 'offline' },
      });
      expect(await reap(100, 10_000)).toEqual({ ended: [], lostHosts: [] });
    });

    test('brings back the phones of an expired host that reports again', async () => {
      await world.report([{ id: 'd1' }]);
      world.travel(11_000);
      await reap(100, 10_000);
      expect(await world.device('d1')).toBeNull();
      await world.report([{ id: 'd1' }]);
      expect(await world.device('d1')).toMatchObject({ status: 'available' });
      world.travel(11_000);
      expect((await reap(100, 10_000)).lostHosts).toEqual(['host-1']);
    });

    test('expires no host without a silence period', async () => {
      await world.report([{ id: 'd1' }]);
      world.travel(MINUTE);
      expect((await reap()).lostHosts).toEqual([]);
    });

    test('processes at most `limit` sessions at a time, the longest overdue first', async () => {
      const account = await world.account();
      const phones = ['d1', 'd2', 'd3', 'd4', 'd5'].map((id) => ({ id }));
      await world.report(phones);
      for (const [index, { id }] of phones.entries()) {
        await world.bringUp(await world.startSession(account, id, { minutes: 10 + index }));
      }
      world.travel(20 * MINUTE);
      const rounds = [await reap(2), await reap(2), await reap(2), await reap(2)];
      expect(rounds.map(({ ended }) => ended.map(({ deviceId }) => deviceId).sort())).toEqual([
        ['d1', 'd2'],
        ['d3', 'd4'],
        ['d5'],
        [],
      ]);
    });

    test('ends each session once with many concurrent reapers', async () => {
      const account = await world.account();
      const phones = Array.from({ length: 30 }, (_, index) => ({ id: `d${index}` }));
      await world.report(phones);
      for (const { id } of phones) await world.startSession(account, id);
      world.travel(31 * MINUTE);
      const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => reap(30)));
      const rest = await reap(30);
      const ended = [...outcomes, rest].flatMap((outcome) => outcome.ended.map(({ id }) => id));
      expect(ended).toHaveLength(30);
      expect(new Set(ended).size).toBe(30);
      expect((await world.store.getUsage(account.accountId))?.sessions.live).toBe(0);
    });

    test('deletes idempotency keys after a day', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const session = await world.startSession(account, 'd1', { idempotency });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      world.travel(24 * 60 * MINUTE - MINUTE);
      await reap();
      expect(await world.connect(account, 'd1', { idempotency })).toMatchObject({ replayed: true });
      world.travel(2 * MINUTE);
      await reap();
      await world.report([{ id: 'd1', cleanEpoch: 1 }]);
      expect(await world.connect(account, 'd1', { idempotency })).toMatchObject({
        ok: true,
        replayed: false,
      });
    });
  });
}
