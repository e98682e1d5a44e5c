import { describe, expect, test } from 'vitest';
import { expectInvariants } from './invariants.ts';
import type { World } from './world.ts';

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

export function concurrencyTests(world: World): void {
  describe('concurrency', () => {
    test('grants one of 50 connects to one phone and rejects the others as in use', async () => {
      const accounts = await Promise.all(times(5, () => world.account()));
      await world.report([{ id: 'd1' }]);
      const outcomes = await Promise.all(times(50, (index) => world.connect(accounts[index % 5]!, 'd1')));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const refusal = { why: 'device-unavailable', reason: 'in_use' };
      expect(outcomes.filter(({ ok }) => !ok)).toEqual(times(49, () => ({ ok: false, refusal })));
      await expectInvariants(world);
    });

    test('never exceeds an account’s minutes with 100 connects', async () => {
      const account = await world.account({ quotaMinutes: 500 });
      await world.report(times(100, (index) => ({ id: `d${index}` })));
      const outcomes = await Promise.all(times(100, (index) => world.connect(account, `d${index}`)));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(16);
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(480);
      await expectInvariants(world);
    });

    test('never exceeds an account’s sessions with 100 connects', async () => {
      const account = await world.account({ maxSessions: 7 });
      await world.report(times(100, (index) => ({ id: `d${index}` })));
      const outcomes = await Promise.all(times(100, (index) => world.connect(account, `d${index}`)));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(7);
      await expectInvariants(world);
    });

    test('returns a consistent usage while sessions begin', async () => {
      const account = await world.account();
      await world.report(times(60, (index) => ({ id: `d${index}` })));
      const [usages] = await Promise.all([
        Promise.all(times(60, () => world.store.getUsage(account.accountId))),
        Promise.all(times(60, (index) => world.connect(account, `d${index}`))),
      ]);
      for (const { minutes, sessions } of usages.filter((usage) => usage !== null)) {
        expect(minutes).toMatchObject({ used: sessions.live * 30, reserved: sessions.live * 30 });
      }
    });

    test('grants one phone to 20 replays of one request and returns it to all of them', async () => {
      const account = await world.account();
      await world.report([{ id: 'd1' }]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const outcomes = await Promise.all(times(20, () => world.connect(account, 'd1', { idempotency })));
      const sessions = outcomes.map((outcome) => (outcome.ok ? outcome.session.id : outcome.refusal.why));
      expect(new Set(sessions).size).toBe(1);
      expect(outcomes.filter((outcome) => outcome.ok && !outcome.replayed)).toHaveLength(1);
      await expectInvariants(world);
    });

    test('grants one phone to 20 requests for different phones with one idempotency key', async () => {
      const account = await world.account();
      await world.report(times(20, (index) => ({ id: `d${index}` })));
      const outcomes = await Promise.all(
        times(20, (index) =>
          world.connect(account, `d${index}`, { idempotency: { key: 'k', fingerprint: `f${index}` } }),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const refusals = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.why]));
      expect(new Set(refusals)).toEqual(new Set(['idempotency-conflict']));
      await expectInvariants(world);
    });

    test('settles a session once for 20 ends', async () => {
      const account = await world.account({ quotaMinutes: 30 });
      await world.report([{ id: 'd1' }]);
      const session = await world.startSession(account, 'd1');
      await world.bringUp(session);
      const outcomes = await Promise.all(
        times(20, () => world.store.end({ sessionId: session.id, reason: 'client' })),
      );
      expect(outcomes.filter((outcome) => outcome?.ended)).toHaveLength(1);
      expect(outcomes.every((outcome) => outcome?.session.status === 'disconnected')).toBe(true);
      await expectInvariants(world);
    });

    test('leaves consistent rows after concurrent connects, ends, reports and reapers', async () => {
      const accounts = await Promise.all(
        times(3, () => world.account({ quotaMinutes: 2_000, maxSessions: 8 })),
      );
      const ids = times(20, (index) => `d${index}`);
      await world.report(ids.map((id) => ({ id })));
      const client = async (index: number) => {
        for (let round = 0; round < 5; round += 1) {
          const outcome = await world.connect(accounts[index % 3]!, ids[(index * 7 + round * 3) % 20]!);
          if (!outcome.ok) continue;
          await world.bringUp(outcome.session);
          await world.store.extend({ sessionId: outcome.session.id, minutes: 5, maxMinutes: 60 });
          await world.store.end({ sessionId: outcome.session.id, reason: 'client' });
        }
      };
      const host = async () => {
        for (let round = 0; round < 8; round += 1) {
          const named = ids.map((id) => ({ id, cleanEpoch: null }));
          const { assignments } = await world.report(named, { complete: false });
          await world.report(
            assignments.map(({ deviceId, epoch }) => ({
              id: deviceId,
              cleanEpoch: epoch,
              usable: round !== 4,
            })),
          );
          await world.store.reap({ limit: 5, hostSilenceMs: () => 10_000 });
        }
      };
      await Promise.all([...times(12, client), host(), host()]);
      await expectInvariants(world);
    });
  });
}
