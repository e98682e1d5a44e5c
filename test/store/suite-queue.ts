import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BorrowCommand, BorrowOutcome, PhoneFilter, Turn } from '../../src/store/queue/phone-queue.ts';
import { expectInvariants } from './invariants.ts';
import { type Account, MINUTE, type World } from './world.ts';

const ANY: PhoneFilter = { brand: '', osVersion: '', model: '' };
const GOOGLE = { ...ANY, brand: 'google' };
const SAMSUNG = { ...ANY, brand: 'samsung' };

const phone = (id: string, brand = 'Google', more: { model?: string; os_version?: string } = {}) => ({
  id,
  description: {
    ...{ id, name: id, brand, model: 'M1', os_version: '14', screen_size: '6.1', resolution: '1080x2400' },
    ...more,
  },
});

interface BorrowOptions extends Partial<Omit<BorrowCommand, 'wait'>> {
  process?: string;
  wait?: Partial<BorrowCommand['wait']> | null;
}

const sessionOf = (outcome: BorrowOutcome | Turn['outcome'] | undefined) =>
  outcome?.state === 'borrowed' ? outcome.session : undefined;

export function queueTests(world: World): void {
  const borrow = (account: Account, { process = 'p1', wait = {}, ...more }: BorrowOptions = {}) =>
    world.store.borrow({
      ...{ sessionId: randomUUID(), accountId: account.accountId, keyId: account.keyId },
      ...{ minutes: 30, appId: null, record: null, recordText: false, idempotency: null, filter: ANY },
      wait: wait && { processId: process, maxWaiting: 1_000, maxWaitingPerAccount: 1_000, ...wait },
      ...more,
    });
  /** Queues a connect request and returns its session id. */
  const queue = async (account: Account, options: BorrowOptions = {}) => {
    const sessionId = randomUUID();
    expect(await borrow(account, { sessionId, ...options })).toEqual({ state: 'waiting' });
    return sessionId;
  };
  const turn = (filter: PhoneFilter = ANY, processId = 'p1') => world.store.nextTurn({ processId, filter });
  const free = (id: string, epoch: number, brand?: string) =>
    world.report([{ ...phone(id, brand), cleanEpoch: epoch }], { complete: false });
  const endSession = async (sessionId: string) => {
    const ended = await world.store.end({ sessionId, reason: 'client' });
    const { deviceId, epoch } = ended!.session;
    await world.query(
      `update devices set clean_epoch = ${epoch}, status = 'available' where id = '${deviceId}'`,
    );
  };

  describe('borrow', () => {
    test('connects to any matching phone that is available', async () => {
      const account = await world.account({ quotaMinutes: 100 });
      await world.report([
        phone('d1', 'Samsung'),
        phone('d2', 'Google', { model: 'M2' }),
        phone('d3', 'Google', { os_version: '15' }),
      ]);
      const cases: [PhoneFilter, string][] = [
        [{ ...ANY, osVersion: '15' }, 'd3'],
        [{ brand: 'google', osVersion: '14', model: 'M2' }, 'd2'],
        [ANY, 'd1'],
      ];
      for (const [filter, deviceId] of cases) {
        expect(sessionOf(await borrow(account, { filter, minutes: 10 }))).toMatchObject({
          ...{ deviceId, epoch: 1, status: 'connecting', minutesReserved: 10 },
        });
      }
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(30);
      await expectInvariants(world);
    });

    test('is rejected if no phone matches, and an offline phone counts as a match', async () => {
      const account = await world.account();
      const none = { state: 'refused', refusal: { why: 'no-phone-matches' } };
      expect(await borrow(account)).toEqual(none);
      await world.report([phone('d1'), { ...phone('d2', 'Samsung'), usable: false, problem: 'x' }]);
      for (const filter of [
        { ...ANY, brand: 'nokia' },
        { ...GOOGLE, osVersion: '3' },
        { ...ANY, model: 'M9' },
      ]) {
        expect(await borrow(account, { filter, wait: null })).toEqual(none);
      }
      const busy = { state: 'refused', refusal: { why: 'none-free' } };
      expect(await borrow(account, { filter: SAMSUNG, wait: null })).toEqual(busy);
      expect(await borrow(account, { filter: SAMSUNG })).toEqual({ state: 'waiting' });
      await world.query(`update devices set forgotten = 1 where id = 'd2'`);
      expect(await borrow(account, { filter: SAMSUNG })).toEqual(none);
    });

    test.each([null, {}])('checks quota, app and key first, with wait %j', async (wait) => {
      await world.report([phone('d1')]);
      const account = await world.account({ quotaMinutes: 20 });
      const minutes = { why: 'quota', shortfall: { kind: 'minutes', limit: 20, requested: 30 } };
      expect(await borrow(account, { wait })).toMatchObject({ state: 'refused', refusal: minutes });
      expect(await borrow(account, { wait, minutes: 5, appId: 'app_none' })).toMatchObject({
        refusal: { why: 'app-not-found' },
      });
      await world.store.revokeKey(account.keyId);
      expect(await borrow(account, { wait, minutes: 5 })).toMatchObject({ refusal: { why: 'key-invalid' } });
      expect(await turn()).toBeNull();
    });

    test('returns the first session for a replayed idempotency key, which conflicts with another request', async () => {
      const account = await world.account();
      await world.report([phone('d1'), phone('d2')]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const session = sessionOf(await borrow(account, { idempotency }));
      expect(await borrow(account, { idempotency })).toMatchObject({
        ...{ state: 'borrowed', replayed: true, session: { id: session!.id } },
      });
      const other = { key: 'k', fingerprint: 'g' };
      expect(await borrow(account, { idempotency: other })).toMatchObject({
        refusal: { why: 'idempotency-conflict' },
      });
    });

    test('limits the waiting requests of an account and in total, without those of dead processes', async () => {
      const [one, two] = [await world.account(), await world.account()];
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      const wait = { maxWaiting: 3, maxWaitingPerAccount: 2 };
      await queue(one, { wait });
      await queue(one, { wait });
      expect(await borrow(one, { wait })).toMatchObject({
        refusal: { why: 'quota', shortfall: { kind: 'waiting', limit: 2, used: 2 } },
      });
      await queue(two, { wait });
      expect(await borrow(two, { wait })).toMatchObject({ refusal: { why: 'queue-full', limit: 3 } });
      world.travel(6_000);
      await queue(two, { wait, process: 'p2' });
    });
  });

  describe('the queue', () => {
    test('is served in order of arrival', async () => {
      const accounts = await Promise.all([world.account(), world.account(), world.account()]);
      await world.report([
        { ...phone('d1'), cleanEpoch: null },
        { ...phone('d2'), cleanEpoch: null },
      ]);
      const waiting = [];
      for (const account of accounts) waiting.push(await queue(account));
      expect(await turn()).toBeNull();
      await free('d2', 0);
      expect(await turn()).toMatchObject({ sessionId: waiting[0], outcome: { session: { deviceId: 'd2' } } });
      expect(await turn()).toBeNull();
      await endSession(waiting[0]!);
      await free('d1', 0);
      expect([await turn(), await turn(), await turn()].map((one) => one?.sessionId)).toEqual([
        ...waiting.slice(1),
        undefined,
      ]);
      await expectInvariants(world);
    });

    test('is not blocked by a request for another phone, and preserves the order for the same phone', async () => {
      const account = await world.account();
      await world.report([
        { ...phone('g1'), cleanEpoch: null },
        { ...phone('s1', 'Samsung'), cleanEpoch: null },
      ]);
      const google = await queue(account, { filter: GOOGLE });
      const any = await queue(account, { process: 'p2' });
      const samsung = await queue(account, { filter: SAMSUNG, process: 'p3' });
      const turns = async () => ({
        google: (await turn(GOOGLE))?.sessionId,
        samsung: (await turn(SAMSUNG, 'p3'))?.sessionId,
      });
      await free('s1', 0, 'Samsung');
      // The phone is for the earlier request, which accepts any phone and whose process has not polled yet
      expect(await turns()).toEqual({ google: undefined, samsung: undefined });
      expect(await borrow(account, { filter: SAMSUNG, wait: null })).toMatchObject({
        refusal: { why: 'none-free' },
      });
      expect((await turn(ANY, 'p2'))?.sessionId).toBe(any);
      await endSession(any);
      expect(await turns()).toEqual({ google: undefined, samsung });
      await free('g1', 0);
      expect(await turns()).toEqual({ google, samsung: undefined });
      expect(await borrow(account, { wait: null })).toMatchObject({ refusal: { why: 'none-free' } });
    });

    test('skips and deletes a request whose process has died', async () => {
      const account = await world.account();
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      await queue(account, { process: 'dead' });
      const second = await queue(account);
      await free('d1', 0);
      expect(await turn()).toBeNull();
      world.travel(6_000);
      expect(await world.store.keepWaiting('p1')).toBe(true);
      expect((await turn())?.sessionId).toBe(second);
      expect(await world.query('select id from waiters')).toHaveLength(1);
      world.travel(MINUTE);
      expect(await world.store.keepWaiting('p1')).toBe(true);
      expect(await world.query('select id from waiters')).toEqual([]);
      expect(await world.store.keepWaiting('dead')).toBe(false);
    });

    test('keeps the position of a process that was briefly suspended', async () => {
      const account = await world.account();
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      const first = await queue(account, { process: 'stopped' });
      await queue(account);
      world.travel(30_000);
      await world.store.keepWaiting('p1');
      await world.store.keepWaiting('stopped');
      await free('d1', 0);
      expect(await turn()).toBeNull();
      expect((await turn(ANY, 'stopped'))?.sessionId).toBe(first);
    });

    test('rejects a request in its turn if the account is no longer allowed to connect, without blocking others', async () => {
      const poor = await world.account({ quotaMinutes: 30 });
      const single = await world.account({ maxSessions: 1 });
      const revoked = await world.account();
      const last = await world.account();
      await world.report([phone('d1'), phone('d2'), { ...phone('d3'), cleanEpoch: null }]);
      await borrow(poor, { minutes: 1 });
      await borrow(single);
      const app = await world.app(last);
      await world.query(`update accounts set max_sessions = 2 where id = '${single.accountId}'`);
      const waiting = [
        await queue(poor, { minutes: 29 }),
        await queue(single),
        await queue(revoked),
        await queue(last, { appId: app }),
        await queue(last),
      ];
      await world.query(`update usage set minutes = 30 where account_id = '${poor.accountId}'`);
      await world.query(`update accounts set max_sessions = 1 where id = '${single.accountId}'`);
      await world.query(`update keys set revoked_at = 1 where id = '${revoked.keyId}'`);
      await world.store.deleteApp(app, last.accountId);
      await free('d3', 0);
      const turns = [await turn(), await turn(), await turn(), await turn(), await turn()];
      expect(turns.map((one) => one?.sessionId)).toEqual(waiting);
      expect(
        turns.map((one) => (one?.outcome.state === 'refused' ? one.outcome.refusal.why : 'borrowed')),
      ).toEqual([...['quota', 'quota', 'key-invalid', 'app-not-found', 'borrowed']]);
    });

    test('answers a waiting replay with the session of the original request', async () => {
      const account = await world.account();
      await world.report([
        { ...phone('d1'), cleanEpoch: null },
        { ...phone('d2'), cleanEpoch: null },
      ]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const first = await queue(account, { idempotency });
      const again = await queue(account, { idempotency });
      await free('d1', 0);
      await free('d2', 0);
      expect(await turn()).toMatchObject({
        sessionId: first,
        outcome: { state: 'borrowed', replayed: false },
      });
      expect(await turn()).toMatchObject({
        ...{ sessionId: again, outcome: { state: 'borrowed', replayed: true, session: { id: first } } },
      });
      await expectInvariants(world);
    });

    test('reports the number of matching phones and the requests ahead, in order', async () => {
      const account = await world.account();
      await world.report([
        { ...phone('g1'), cleanEpoch: null },
        { ...phone('g2', 'Google', { model: 'M2' }), usable: false, problem: 'x' },
        { ...phone('s1', 'Samsung'), cleanEpoch: null },
      ]);
      const google = await queue(account, { filter: GOOGLE });
      const samsung = await queue(account, { filter: SAMSUNG });
      const any = await queue(account);
      const standing = async (filter: PhoneFilter) =>
        (await world.store.getQueueStandings(filter, [account.accountId])).get(account.accountId)!;
      expect(await standing(GOOGLE)).toEqual({
        matching: 2,
        reason: 'cleaning',
        waiting: [google, any],
      });
      expect(await standing({ ...ANY, model: 'M2' })).toEqual({
        matching: 1,
        reason: 'offline',
        waiting: [google, samsung, any],
      });
      expect(await standing({ ...SAMSUNG, osVersion: '14' })).toEqual({
        matching: 1,
        reason: 'cleaning',
        waiting: [samsung, any],
      });
      expect(await standing(ANY)).toEqual({
        matching: 3,
        reason: 'cleaning',
        waiting: [google, samsung, any],
      });
      world.travel(6_000);
      expect((await standing(ANY)).waiting).toEqual([]);
    });

    test('reports why no phone is available: in use, cleaning, offline or maintenance', async () => {
      const account = await world.account();
      const phones = [phone('d1'), { ...phone('d2'), usable: false, problem: 'x' }];
      await world.report(phones);
      const reason = async () =>
        (await world.store.getQueueStandings(ANY, [account.accountId])).get(account.accountId)!.reason;
      const { id } = sessionOf(await borrow(account))!;
      expect(await reason()).toBe('in_use');
      await world.store.end({ sessionId: id, reason: 'client' });
      expect(await reason()).toBe('cleaning');
      await world.store.updateDevice({ deviceId: 'd1', maintenance: true });
      expect(await reason()).toBe('offline');
      await world.store.updateDevice({ deviceId: 'd2', maintenance: true });
      expect(await reason()).toBe('maintenance');
    });

    test('discards the waiting request or the session of a client that disconnected', async () => {
      const account = await world.account({ quotaMinutes: 60 });
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const gone = (sessionId: string) =>
        world.store.cancelBorrow({ sessionId, accountId: account.accountId, idempotencyKey: 'k' });
      expect(await gone(await queue(account, { idempotency }))).toBeNull();
      expect(await world.query('select id from waiters')).toEqual([]);
      await free('d1', 0);
      const session = sessionOf(await borrow(account, { idempotency }))!;
      expect(await gone(session.id)).toMatchObject({
        id: session.id,
        endReason: 'client',
        minutesCharged: 0,
      });
      expect(await gone(session.id)).toBeNull();
      expect((await world.store.getUsage(account.accountId))?.minutes.used).toBe(0);
      await free('d1', 1);
      expect(await borrow(account, { idempotency })).toMatchObject({ state: 'borrowed', replayed: false });
      await expectInvariants(world);
    });

    test('keeps the session of a client that disconnected if a repeat of its request has received it', async () => {
      const account = await world.account({ quotaMinutes: 60 });
      await world.report([phone('d1')]);
      const idempotency = { key: 'k', fingerprint: 'f' };
      const { id } = sessionOf(await borrow(account, { idempotency }))!;
      expect(await borrow(account, { idempotency })).toMatchObject({ replayed: true, session: { id } });
      const cancel = { sessionId: id, accountId: account.accountId, idempotencyKey: 'k' };
      expect(await world.store.cancelBorrow(cancel)).toBeNull();
      expect(await borrow(account, { idempotency })).toMatchObject({
        ...{ replayed: true, session: { id, status: 'connecting' } },
      });
      await expectInvariants(world);
    });

    test('ends no session that a repeat receives while the first request is cancelled', async () => {
      const account = await world.account();
      await world.report(Array.from({ length: 20 }, (_, n) => phone(`d${n}`)));
      const outcomes = Array.from({ length: 20 }, async (_, n) => {
        const idempotency = { key: `k${n}`, fingerprint: 'f' };
        const { id: sessionId } = sessionOf(await borrow(account, { idempotency, wait: null }))!;
        const cancel = { sessionId, accountId: account.accountId, idempotencyKey: idempotency.key };
        const [repeat] = await Promise.all([
          borrow(account, { idempotency, wait: null }),
          world.store.cancelBorrow(cancel),
        ]);
        return sessionOf(repeat)?.id;
      });
      // The phone of a cancelled session is being cleaned, so that a repeat may find none.
      const received = (await Promise.all(outcomes)).filter((id) => id !== undefined);
      const rows = await world.store.getSessions(received);
      expect(rows.filter(({ status }) => status === 'disconnected')).toEqual([]);
      await expectInvariants(world);
    });

    test('grants 12 phones to 60 requests of 4 processes in order, each phone once', async () => {
      const accounts = await Promise.all(Array.from({ length: 5 }, () => world.account()));
      const phones = Array.from({ length: 12 }, (_, n) => phone(`d${n}`, n % 2 === 0 ? 'Google' : 'Samsung'));
      await world.report(phones.map((one) => ({ ...one, cleanEpoch: null })));
      const filters = [ANY, GOOGLE, SAMSUNG];
      const order: { sessionId: string; filter: number }[] = [];
      for (let n = 0; n < 60; n += 1) {
        const options = { process: `p${n % 4}`, filter: filters[n % 3]! };
        order.push({ sessionId: await queue(accounts[n % 5]!, options), filter: n % 3 });
      }
      const served: string[] = [];
      const overtaken = async (sessionId: string) => {
        const at = order.findIndex((one) => one.sessionId === sessionId);
        const before = order.slice(0, at).filter(({ filter }) => filter === order[at]!.filter);
        const waiting = new Set(
          (await world.query<{ id: string }>('select id from waiters')).map(({ id }) => id),
        );
        return before.filter((one) => waiting.has(one.sessionId));
      };
      let left = 60;
      const worker = async (processId: string) => {
        while (left > 0) {
          for (const filter of filters) {
            const one = await turn(filter, processId);
            const session = sessionOf(one?.outcome);
            if (!session) continue;
            left -= 1;
            served.push(session.id);
            expect(await overtaken(session.id)).toEqual([]);
            await world.store.end({ sessionId: session.id, reason: 'client' });
            const brand = phones[Number(session.deviceId.slice(1))]!.description.brand;
            await free(session.deviceId, session.epoch, brand);
          }
          for (const process of ['p0', 'p1', 'p2', 'p3']) await world.store.keepWaiting(process);
        }
      };
      await world.report(phones);
      await Promise.all(['p0', 'p1', 'p2', 'p3'].map(worker));
      expect(new Set(served).size).toBe(60);
      await expectInvariants(world);
    });

    test('drops the waiting requests of a process that shuts down', async () => {
      const account = await world.account();
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      await queue(account);
      const second = await queue(account, { process: 'p2' });
      await world.store.leaveQueue('p1');
      await free('d1', 0);
      expect((await turn(ANY, 'p2'))?.sessionId).toBe(second);
    });

    test('keeps the position of a request that is replayed after its process stopped', async () => {
      const account = await world.account();
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      const idempotency = { key: 'k1', fingerprint: 'f1' };
      await queue(account, { idempotency });
      const later = await queue(account, { process: 'p2' });
      await world.store.leaveQueue('p1');
      const otherRequest = await queue(account, {
        process: 'p2',
        idempotency: { key: 'k1', fingerprint: 'f2' },
      });
      const repeat = await queue(account, { process: 'p2', idempotency });
      const standing = await world.store.getQueueStandings(ANY, [account.accountId]);
      expect(standing.get(account.accountId)?.waiting).toEqual([repeat, later, otherRequest]);
      await free('d1', 0);
      expect((await turn(ANY, 'p2'))?.sessionId).toBe(repeat);
      await expectInvariants(world);
    });

    test('removes a replay from the queue when it finds an available phone', async () => {
      const account = await world.account();
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      const idempotency = { key: 'k1', fingerprint: 'f1' };
      await queue(account, { idempotency });
      const later = await queue(account, { process: 'p2' });
      await world.store.leaveQueue('p1');
      await free('d1', 0);
      const outcome = await borrow(account, { process: 'p2', idempotency });
      expect(sessionOf(outcome)?.deviceId).toBe('d1');
      const standing = await world.store.getQueueStandings(ANY, [account.accountId]);
      expect(standing.get(account.accountId)?.waiting).toEqual([later]);
    });

    test('reserves a position for a minute', async () => {
      const account = await world.account();
      await world.report([{ ...phone('d1'), cleanEpoch: null }]);
      const idempotency = { key: 'k1', fingerprint: 'f1' };
      await queue(account, { idempotency });
      const later = await queue(account, { process: 'p2' });
      await world.store.leaveQueue('p1');
      world.travel(MINUTE + 1_000);
      await world.store.keepWaiting('p2');
      const repeat = await queue(account, { process: 'p2', idempotency });
      const standing = await world.store.getQueueStandings(ANY, [account.accountId]);
      expect(standing.get(account.accountId)?.waiting).toEqual([later, repeat]);
    });
  });
}
