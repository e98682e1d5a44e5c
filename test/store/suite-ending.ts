import { describe, expect, test } from 'vitest';
import { monthOf, resetsAt } from '../../src/domain/month.ts';
import { MINUTE, type World } from './world.ts';

export function endingTests(world: World): void {
  describe('ending a session', () => {
    test('charges nothing for a session that was never connected', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }]);
      const { id } = await world.startSession(account, 'd1');
      world.travel(10 * MINUTE);
      const outcome = await world.store.end({ sessionId: id, reason: 'start_failed', detail: 'no keyframe' });
      expect(outcome).toMatchObject({
        ended: true,
        session: {
          status: 'disconnected',
          endReason: 'start_failed',
          endDetail: 'no keyframe',
          minutesCharged: 0,
          endedAt: expect.any(Number),
        },
      });
      expect(await world.store.getUsage(account.accountId)).toMatchObject({
        minutes: { used: 0, reserved: 0, remaining: 30 },
        sessions: { live: 0 },
      });
    });

    test('does not expire a session before its expiry, whichever process requests it', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      await world.bringUp(session);
      const { id: sessionId, epoch, hostId } = session;
      await world.store.extend({ sessionId, minutes: 10, maxMinutes: 100 });
      // The session's original expiry has passed
      world.travel(31 * MINUTE);
      const expire = () => world.store.end({ sessionId, epoch, hostId, reason: 'expired' });
      expect(await expire()).toMatchObject({
        ended: false,
        session: { status: 'connected', endReason: null, remainingMs: expect.any(Number) },
      });
      world.travel(9 * MINUTE);
      expect(await expire()).toMatchObject({ ended: true, session: { endReason: 'expired' } });
    });

    test.each([
      ['part of a minute', 1_000, 1],
      ['slightly more than two minutes', 2 * MINUTE + 1_000, 3],
      ['more than the reserved minutes', 45 * MINUTE, 30],
    ])('charges %s, rounded up', async (_what, ms, minutesCharged) => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      await world.bringUp(session);
      world.travel(ms);
      const outcome = await world.store.end({ sessionId: session.id, reason: 'client' });
      expect(outcome?.session).toMatchObject({ minutesCharged });
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(minutesCharged);
    });

    test('settles once: the first end is final', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }]);
      const { id: sessionId } = await world.startSession(account, 'd1');
      const first = await world.store.end({ sessionId, reason: 'client' });
      world.travel(MINUTE);
      const second = await world.store.end({ sessionId, reason: 'admin', detail: 'too late' });
      expect(second?.ended).toBe(false);
      expect({ ...second?.session, remainingMs: 0 }).toEqual({ ...first?.session, remainingMs: 0 });
      expect((await world.store.getUsage(account.accountId))?.sessions.live).toBe(0);
    });

    test('does not find and does not change a session of another account or epoch', async () => {
      const account = await world.account();
      const { accountId } = await world.account();
      await world.report([{ id: 'd1' }]);
      const { id: sessionId } = await world.startSession(account, 'd1');
      expect(await world.store.end({ sessionId, reason: 'client', accountId })).toBeNull();
      expect(await world.store.end({ sessionId, reason: 'device_lost', epoch: 2 })).toBeNull();
      expect(await world.store.end({ sessionId: 'nothing', reason: 'client' })).toBeNull();
      expect(await world.store.getSession(sessionId, accountId)).toBeNull();
      expect(await world.store.getSession(sessionId)).toMatchObject({ status: 'connecting' });
      const right = { sessionId, reason: 'client', accountId: account.accountId, epoch: 1 } as const;
      expect(await world.store.end(right)).toMatchObject({ ended: true });
    });

    test('does not find and does not change a session on a phone of another host', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const { id: sessionId, hostId } = await world.startSession(account, 'd1');
      const end = (host: string) =>
        world.store.end({ sessionId, hostId: host, epoch: 1, reason: 'device_lost' });
      expect(await end('another')).toBeNull();
      expect(await world.store.getSession(sessionId)).toMatchObject({ status: 'connecting' });
      expect(await end(hostId)).toMatchObject({ ended: true });
      expect(await end('another')).toBeNull();
      expect(await end(hostId)).toMatchObject({ ended: false });
    });

    test('keeps the phone busy until its host reports it clean', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const { id } = await world.startSession(account, 'd1');
      await world.store.end({ sessionId: id, reason: 'client' });
      const cleaning = { ok: false, refusal: { why: 'device-unavailable', reason: 'cleaning' } };
      expect(await world.device('d1')).toMatchObject({ status: 'busy' });
      expect(await world.connect(account, 'd1')).toEqual(cleaning);
      await world.report([{ id: 'd1', cleanEpoch: 0 }]);
      expect(await world.connect(account, 'd1')).toEqual(cleaning);
      await world.report([{ id: 'd1', cleanEpoch: 1 }]);
      expect(await world.device('d1')).toMatchObject({ status: 'available' });
      expect(await world.startSession(account, 'd1')).toMatchObject({ epoch: 2 });
    });
  });

  describe('extend', () => {
    const maxMinutes = 60;

    test('adds minutes to the session and to the reservation', async () => {
      const account = await world.account({ quotaMinutes: 40 });
      await world.report([{ id: 'd1' }]);
      const before = await world.startSession(account, 'd1');
      const extend = (minutes: number) =>
        world.store.extend({ sessionId: before.id, accountId: account.accountId, minutes, maxMinutes });
      const outcome = await extend(5);
      expect(outcome).toMatchObject({ ok: true, session: { minutesReserved: 35 } });
      expect((outcome as { session: typeof before }).session.expiresAt).toBe(before.expiresAt + 5 * MINUTE);
      expect((await world.store.getUsage(account.accountId))?.minutes).toMatchObject({
        used: 35,
        reserved: 35,
      });
      expect(await world.device('d1')).toMatchObject({ freeAt: before.expiresAt + 5 * MINUTE });
      expect(await extend(6)).toMatchObject({
        ok: false,
        refusal: { why: 'quota', shortfall: { kind: 'minutes', limit: 40, used: 35, requested: 6 } },
      });
      expect(await extend(26)).toEqual({ ok: false, refusal: { why: 'too-long', maxMinutes } });
      await world.store.end({ sessionId: before.id, reason: 'client' });
      expect(await extend(1)).toEqual({ ok: false, refusal: { why: 'ended' } });
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(0);
    });

    test('is rejected after the end of the session, and answered as not found for another account', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const { id: sessionId } = await world.startSession(account, 'd1');
      const { accountId } = await world.account();
      expect(await world.store.extend({ sessionId, accountId, minutes: 1, maxMinutes })).toBeNull();
      expect(await world.store.extend({ sessionId: 'nothing', minutes: 1, maxMinutes })).toBeNull();
      world.travel(31 * MINUTE);
      expect(await world.store.extend({ sessionId, minutes: 1, maxMinutes })).toEqual({
        ok: false,
        refusal: { why: 'ended' },
      });
    });

    test('reserves minutes of the next month there, and refunds unused minutes to the months they came from', async () => {
      const account = await world.account({ quotaMinutes: 100 });
      await world.report([{ id: 'd1' }]);
      const month = monthOf(world.now());
      const lastMinutes = Date.parse(resetsAt(month)) - 10 * MINUTE - world.now();
      world.travel(lastMinutes);
      const session = await world.startSession(account, 'd1', { minutes: 30 });
      await world.bringUp(session);
      world.travel(15 * MINUTE);
      await world.store.extend({ sessionId: session.id, minutes: 20, maxMinutes });
      expect((await world.store.getUsage(account.accountId))?.minutes).toMatchObject({
        used: 20,
        reserved: 20,
      });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      const usage = await world.query<{ month: string; minutes: string | number }>(
        'select month, minutes from usage order by month',
      );
      const charged = (await world.store.getSession(session.id))?.minutesCharged;
      expect(charged).toBeOneOf([15, 16]);
      expect(usage.map(({ minutes }) => Number(minutes))).toEqual([charged, 0]);
      expect(usage[0]?.month).toBe(month);
    });
  });
}
