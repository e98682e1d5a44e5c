import { describe, expect, test } from 'vitest';
import { monthOf, resetsAt } from '../../src/domain/month.ts';
import { promised } from '../nightly.ts';
import { MINUTE, type World } from './world.ts';

const minutesUsed = async (world: World, accountId: string) =>
  (await world.store.getUsage(accountId))?.minutes.used;

export function connectTests(world: World): void {
  describe('connect', () => {
    test('creates a connecting session with the next epoch and reserves its minutes', async () => {
      const account = await world.account({ quotaMinutes: 100 });
      const appId = await world.app(account);
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1', { minutes: 10, appId });
      expect(session).toMatchObject({
        deviceId: 'd1',
        ...{ deviceName: 'Phone d1', deviceModel: 'GX7AS' },
        hostId: 'host-1',
        accountId: account.accountId,
        createdBy: { userId: null, name: 'test' },
        epoch: 1,
        status: 'connecting',
        connectedAt: null,
        endedAt: null,
        appId,
        appStatus: 'pending',
        minutesReserved: 10,
        minutesCharged: null,
        remainingMs: 10 * MINUTE,
      });
      expect(session.expiresAt - session.createdAt).toBe(10 * MINUTE);
      expect(Math.abs(session.createdAt - world.now())).toBeLessThan(promised(5_000));
      expect(await world.device('d1')).toMatchObject({ status: 'busy', freeAt: session.expiresAt });
      expect(await world.store.getUsage(account.accountId)).toMatchObject({
        minutes: { limit: 100, used: 10, reserved: 10, remaining: 90 },
        sessions: { limit: null, live: 1 },
      });
    });

    test.each([
      ['a live session', 'in_use', async () => void (await world.startSession(await world.account(), 'd1'))],
      [
        'a phone that is not clean',
        'cleaning',
        async () => void (await world.report([{ id: 'd1', cleanEpoch: null }])),
      ],
      ['an absent phone', 'offline', async () => void (await world.report([]))],
      [
        'an unusable phone',
        'offline',
        async () => void (await world.report([{ id: 'd1', usable: false, problem: 'x' }])),
      ],
      [
        'maintenance',
        'maintenance',
        async () => void (await world.query(`update devices set maintenance = 1, status = 'maintenance'`)),
      ],
    ])('is rejected with %s: %s, and reserves nothing', async (_what, reason, arrange) => {
      const account = await world.account({ quotaMinutes: 100 });
      await world.report([{ id: 'd1', cleanEpoch: reason === 'cleaning' ? null : 0 }]);
      await arrange();
      const refusal = { why: 'device-unavailable', reason };
      expect(await world.connect(account, 'd1')).toEqual({ ok: false, refusal });
      expect(await minutesUsed(world, account.accountId)).toBe(0);
    });

    test('is rejected for an unknown phone', async () => {
      const outcome = await world.connect(await world.account(), 'nowhere\0');
      expect(outcome).toEqual({ ok: false, refusal: { why: 'device-not-found' } });
    });

    test('is rejected if the remaining minutes of the month are insufficient, and granted up to the last one', async () => {
      const account = await world.account({ quotaMinutes: 40 });
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      await world.startSession(account, 'd1', { minutes: 25 });
      const shortfall = {
        kind: 'minutes',
        limit: 40,
        used: 25,
        requested: 16,
        resets_at: resetsAt(monthOf(world.now())),
      };
      expect(await world.connect(account, 'd2', { minutes: 16 })).toEqual({
        ok: false,
        refusal: { why: 'quota', shortfall },
      });
      await world.startSession(account, 'd2', { minutes: 15 });
    });

    test('has the full quota again in a new month', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      await world.startSession(account, 'd1');
      expect(await world.connect(account, 'd2')).toMatchObject({ ok: false });
      world.travel(Date.parse(resetsAt(monthOf(world.now()))) - world.now() + 1);
      await world.startSession(account, 'd2');
    });

    test('is rejected above the limit of concurrent sessions until one ends', async () => {
      const account = await world.account({ maxSessions: 1 });
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      const first = await world.startSession(account, 'd1');
      const shortfall = { kind: 'sessions', limit: 1, used: 1, requested: 1, resets_at: null };
      expect(await world.connect(account, 'd2')).toEqual({ ok: false, refusal: { why: 'quota', shortfall } });
      await world.store.end({ sessionId: first.id, reason: 'client' });
      await world.startSession(account, 'd2');
    });

    test('returns the first session with its current state for a replayed idempotency key', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const session = await world.startSession(account, 'd1', { idempotency });
      await world.store.end({ sessionId: session.id, reason: 'client' });
      const repeat = await world.connect(account, 'd1', { idempotency });
      expect(repeat).toMatchObject({
        ok: true,
        replayed: true,
        session: { id: session.id, status: 'disconnected' },
      });
      const other = { ...idempotency, fingerprint: 'g' };
      expect(await world.connect(account, 'd1', { idempotency: other })).toEqual({
        ok: false,
        refusal: { why: 'idempotency-conflict' },
      });
    });

    test('does not use up an idempotency key when it is rejected, and separates the keys of accounts', async () => {
      const account = await world.account();
      const idempotency = { key: 'k', fingerprint: 'f' };
      expect(await world.connect(account, 'd1', { idempotency })).toMatchObject({ ok: false });
      await world.report([{ id: 'd1' }, { id: 'd2' }]);
      await world.startSession(account, 'd1', { idempotency });
      const theirs = await world.connect(await world.account(), 'd2', { idempotency });
      expect(theirs).toMatchObject({ ok: true, replayed: false });
    });
  });
}
