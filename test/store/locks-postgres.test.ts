import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { monthOf, resetsAt } from '../../src/domain/month.ts';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { promised } from '../nightly.ts';
import { postgresDatabase } from './databases.ts';
import { expectInvariants } from './invariants.ts';
import { MINUTE, useWorld as openWorld } from './world.ts';

/** Shorter than the lock timeout of the store's connections. */
const DEADLINE_MS = 4_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Its `query` runs every statement on one connection, and can therefore hold locks in a transaction. */
const world = openWorld(() => postgresDatabase(server));

async function lockWhile(lock: string, body: () => Promise<void>): Promise<void> {
  await world.query('begin');
  try {
    await world.query(lock);
    await body();
  } finally {
    await world.query('commit');
  }
}

/** Waits until this many transactions wait for a lock. pg_locks is not a snapshot, unlike pg_stat_activity. */
const waiting = (count: number) =>
  vi.waitFor(
    async () => {
      const rows = await world.query('select pid from pg_locks where not granted group by pid');
      expect(rows).toHaveLength(count);
    },
    { timeout: promised(DEADLINE_MS), interval: 10 },
  );

test('ending a session during its first extension into a new month refunds that month', async () => {
  const account = await world.account({ quotaMinutes: 100 });
  await world.report([{ id: 'd1' }]);
  const month = monthOf(world.now());
  world.travel(Date.parse(resetsAt(month)) - 10 * MINUTE - world.now());
  const session = await world.startSession(account, 'd1', { minutes: 30 });
  await world.bringUp(session);
  world.travel(15 * MINUTE);
  const requests: Promise<unknown>[] = [];
  // The extension locks the device and waits for the account. The end then waits for the device, and began before
  // the extension inserts the new month.
  await lockWhile(`select id from accounts where id = '${account.accountId}' for update`, async () => {
    requests.push(world.store.extend({ sessionId: session.id, minutes: 20, maxMinutes: 60 }));
    await waiting(1);
    requests.push(world.store.end({ sessionId: session.id, reason: 'client' }));
    await waiting(2);
  });
  expect(await Promise.all(requests)).toMatchObject([
    { ok: true, session: { minutesReserved: 50 } },
    { ended: true },
  ]);
  const usage = await world.query<{ month: string; minutes: string }>('select * from usage order by month');
  expect(usage.map(({ minutes }) => Number(minutes))).toEqual([expect.toBeOneOf([15, 16]), 0]);
  await expectInvariants(world);
});

test('a session that is extended while its end waits for the device ends, and all of its minutes are refunded', async () => {
  const account = await world.account();
  await world.report([{ id: 'd1' }]);
  const session = await world.startSession(account, 'd1', { minutes: 3 });
  const requests: Promise<unknown>[] = [];
  // The extension locks the device and waits for the account. The end began before the extension reserved its minutes.
  await lockWhile(`select id from accounts where id = '${account.accountId}' for update`, async () => {
    requests.push(world.store.extend({ sessionId: session.id, minutes: 20, maxMinutes: 60 }));
    await waiting(1);
    requests.push(world.store.end({ sessionId: session.id, reason: 'client' }));
    await waiting(2);
  });
  expect(await Promise.all(requests)).toMatchObject([
    { ok: true, session: { minutesReserved: 23 } },
    { ended: true, session: { minutesCharged: 0 } },
  ]);
  await expectInvariants(world);
});

test('a session that is created while the revocation of its key waits does not end before its creation', async () => {
  const account = await world.account();
  await world.report([{ id: 'd1' }]);
  const { keyId, accountId } = account;
  const revocations: Promise<unknown>[] = [];
  // This lock does not keep the key from being used
  await lockWhile(`select id from keys where id = '${keyId}' for no key update`, async () => {
    revocations.push(world.store.revokeKey(keyId));
    await waiting(1);
    await world.startSession(account, 'd1');
  });
  await Promise.all(revocations);
  const { items } = await world.store.listSessions({ accountId, page: 1, pageSize: 1 });
  expect(items).toMatchObject([{ status: 'disconnected' }]);
  expect(items[0]!.endedAt).toBeGreaterThanOrEqual(items[0]!.createdAt);
});

test('a report does not wait for the rows of devices of other hosts that it names', async () => {
  await world.report([{ id: 'd1' }]);
  await world.report([{ id: 'd2' }], { hostId: 'host-2' });
  const refused = [{ deviceId: 'd1', why: { reason: 'other-host', hostId: 'host-1' } }];
  const report = () =>
    world.report([{ id: 'd1' }, { id: 'd2', usable: false }, { id: 'd3' }], { hostId: 'host-2' });
  await lockWhile(`select id from devices where id = 'd1' for update`, async () => {
    // A report that waited for the lock would fail with the lock timeout
    const { assignments, refused: rejected } = await report();
    expect(rejected).toEqual(refused);
    expect(assignments.map(({ deviceId }) => deviceId)).toEqual(['d2', 'd3']);
    expect(await world.store.getFleetDevice('d1')).toMatchObject({ claimedBy: null });
  });
  expect(await report()).toMatchObject({ refused });
  expect(await world.store.getFleetDevice('d1')).toMatchObject({ claimedBy: { id: 'host-2' } });
});

test('a report keeps a change of a device that it waited for', async () => {
  await world.report([{ id: 'd1' }]);
  const reports: Promise<unknown>[] = [];
  const maintain = `update devices set maintenance = 1, status = 'maintenance' where id = 'd1'`;
  await lockWhile(maintain, async () => {
    reports.push(world.report([{ id: 'd1', usable: false, problem: 'unplugged' }], { complete: false }));
    await waiting(1);
  });
  await Promise.all(reports);
  expect(await world.query(`select usable, problem, status from devices where id = 'd1'`)).toMatchObject([
    { usable: 0, problem: 'unplugged', status: 'maintenance' },
  ]);
  await expectInvariants(world);
});

test('a report that waited for a connect ends its session if the device is unusable', async () => {
  const account = await world.account();
  await world.report([{ id: 'd1' }]);
  const requests: Promise<unknown>[] = [];
  // The connect locks the device and waits for the account. The report then waits for the device.
  await lockWhile(`select id from accounts where id = '${account.accountId}' for update`, async () => {
    requests.push(world.connect(account, 'd1'));
    await waiting(1);
    requests.push(world.report([{ id: 'd1', usable: false, problem: 'unplugged' }], { complete: false }));
    await waiting(2);
  });
  expect(await Promise.all(requests)).toMatchObject([
    { ok: true },
    { changed: [{ deviceId: 'd1', endReason: 'device_lost', endDetail: 'unplugged' }] },
  ]);
  await expectInvariants(world);
});

test('a new device belongs to the host whose report commits first', async () => {
  await world.report([{ id: 'd1' }]);
  const insert = `insert into devices select (jsonb_populate_record(d, '{"id": "d9"}')).* from devices d where id = 'd1'`;
  const reports: Promise<unknown>[] = [];
  await lockWhile(insert, async () => {
    reports.push(world.report([{ id: 'd9' }], { hostId: 'host-2' }));
    await waiting(1);
  });
  expect(await reports[0]).toMatchObject({
    refused: [{ deviceId: 'd9', why: { reason: 'other-host', hostId: 'host-1' } }],
  });
  expect(await world.store.getFleetDevice('d9')).toMatchObject({ host: { id: 'host-1' } });
});

test('ending a session does not rewrite the row of a device that stays busy until it is clean', async () => {
  const account = await world.account();
  await world.report([{ id: 'd1' }]);
  const session = await world.startSession(account, 'd1');
  // ctid: the position of the newest version of the row, which every update changes
  const row = () => world.query(`select status, ctid from devices where id = 'd1'`);
  const before = await row();
  expect(before).toMatchObject([{ status: 'busy' }]);
  expect(await world.store.end({ sessionId: session.id, reason: 'client' })).toMatchObject({ ended: true });
  expect(await row()).toEqual(before);
  await expectInvariants(world);
});

test('ending a session sets the status of a device that changed while the end waited for it', async () => {
  const account = await world.account();
  await world.report([{ id: 'd1' }]);
  const session = await world.startSession(account, 'd1');
  const ends: Promise<unknown>[] = [];
  await lockWhile(`update devices set usable = 0, problem = 'unplugged' where id = 'd1'`, async () => {
    ends.push(world.store.end({ sessionId: session.id, reason: 'client' }));
    await waiting(1);
  });
  expect(await ends[0]).toMatchObject({ ended: true });
  expect(await world.query(`select status from devices where id = 'd1'`)).toEqual([{ status: 'offline' }]);
  await expectInvariants(world);
});

test('a connect that waited for its device and its account changes the newest versions of both rows', async () => {
  const account = await world.account({ maxSessions: 10 });
  await world.report([{ id: 'd1' }]);
  const sessions: Promise<unknown>[] = [];
  const changes = `update devices set epoch = 5, clean_epoch = 5, name = 'renamed' where id = 'd1';
    update accounts set max_sessions = 20 where id = '${account.accountId}'`;
  await lockWhile(changes, async () => {
    sessions.push(world.startSession(account, 'd1'));
    await waiting(1);
  });
  expect(await sessions[0]).toMatchObject({ epoch: 6, deviceName: 'renamed' });
  expect(await world.query(`select epoch, status, name from devices where id = 'd1'`)).toEqual([
    { epoch: '6', status: 'busy', name: 'renamed' },
  ]);
  expect(await world.query('select live_sessions, max_sessions from accounts')).toEqual(
    expect.arrayContaining([{ live_sessions: '1', max_sessions: '20' }]),
  );
  await expectInvariants(world);
});

test('a session that waited for a lock begins after the wait', async () => {
  const account = await world.account();
  const { accountId, keyId } = account;
  await world.report([{ id: 'd1' }, { id: 'd2' }, { id: 'd3' }]);
  const clock = async () => {
    const [row] = await world.query<{ now: string }>(
      'select floor(extract(epoch from clock_timestamp()) * 1000) as now',
    );
    return Number(row!.now);
  };
  const borrow = () =>
    world.store.borrow({
      ...{
        sessionId: randomUUID(),
        accountId,
        keyId,
        minutes: 5,
        appId: null,
        record: null,
        recordText: false,
      },
      ...{ idempotency: null, filter: { brand: '', osVersion: '', model: '' }, wait: null },
    });
  const lockDevice = `select id from devices where id = 'd1' for update`;
  const lockAccount = `select id from accounts where id = '${accountId}' for update`;
  const waits = [
    { lock: lockDevice, request: () => world.startSession(account, 'd1') },
    { lock: lockAccount, request: () => world.startSession(account, 'd2') },
    { lock: lockAccount, request: borrow },
  ];
  for (const { lock, request } of waits) {
    let asked: Promise<unknown> = Promise.resolve();
    let waitedUntil = Number.POSITIVE_INFINITY;
    await lockWhile(lock, async () => {
      asked = request();
      await waiting(1);
      waitedUntil = await clock();
    });
    await asked;
    const sessions = await world.query<{ at: string }>('select max(created_at) as at from sessions');
    expect(Number(sessions[0]!.at)).toBeGreaterThanOrEqual(waitedUntil);
  }
});
