import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AuditEvent } from '../../src/store/audit/audit-store.ts';
import { openPostgres } from '../../src/store/engine/postgres.ts';
import type { ConnectCommand, SessionRow } from '../../src/store/entities.ts';
import { openStore } from '../../src/store/open-store.ts';
import { connectBatchStatement } from '../../src/store/sessions/connect-batch.ts';
import { silentLog } from '../../src/util/log.ts';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { postgresDatabase } from './databases.ts';
import { expectInvariants } from './invariants.ts';
import { type Account, MINUTE, useWorld as openWorld } from './world.ts';

const COUNT = 12;

let server: TestPostgres;
let databaseUrl: string;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Its `query` runs every statement on one connection, and can therefore hold locks in a transaction. */
const world = openWorld(() =>
  postgresDatabase({
    createDatabase: async () => {
      databaseUrl = await server.createDatabase();
      return databaseUrl;
    },
  }),
);

const times = <T>(make: (index: number) => T) => Array.from({ length: COUNT }, (_, index) => make(index));
const accounts = () => Promise.all(times(() => world.account()));
const reportAll = () => world.report(times((index) => ({ id: `d${index}` })));
const connectAll = (owners: Account[]) =>
  Promise.all(owners.map((owner, at) => world.connect(owner, `d${at}`)));
const sessionsOf = (outcomes: Awaited<ReturnType<typeof connectAll>>): SessionRow[] =>
  outcomes.map((outcome) => {
    if (!outcome.ok) throw new Error(`the connect was rejected: ${outcome.refusal.why}`);
    return outcome.session;
  });

const command = ({ accountId, keyId }: Account, deviceId: string): ConnectCommand => ({
  ...{ sessionId: randomUUID(), deviceId, accountId, keyId, minutes: 30 },
  ...{ appId: null, record: null, recordText: false, idempotency: null },
});

/** The number of transactions that last changed the sessions. */
async function transactions(): Promise<number> {
  const [row] = await world.query<{ n: string }>('select count(distinct xmin::text) as n from sessions');
  return Number(row!.n);
}

test('concurrent connects and disconnects of different accounts share transactions', async () => {
  const owners = await accounts();
  await reportAll();
  const sessions = sessionsOf(await connectAll(owners));
  expect(await transactions()).toBeLessThan(COUNT / 2);
  expect(sessions.map(({ accountId, deviceId, keyId }) => [accountId, deviceId, keyId])).toEqual(
    owners.map(({ accountId, keyId }, at) => [accountId, `d${at}`, keyId]),
  );
  await expectInvariants(world);
  for (const session of sessions) await world.bringUp(session);
  world.travel(2.5 * MINUTE);
  const ends = await Promise.all(
    sessions.map(({ id, accountId }) => world.store.end({ sessionId: id, accountId, reason: 'client' })),
  );
  expect(await transactions()).toBeLessThan(COUNT / 2);
  expect(ends.map((end) => [end?.ended, end?.session.id, end?.session.minutesCharged])).toEqual(
    sessions.map(({ id }) => [true, id, 3]),
  );
  await expectInvariants(world);
});

test('a batch counts all requests of an account towards its limits, in their order', async () => {
  const [few, many] = [await world.account({ maxSessions: 3 }), await world.account({ quotaMinutes: 90 })];
  await reportAll();
  await using engine = await openPostgres(databaseUrl, () => 0, silentLog);
  const grant = async (ofFew: number[], ofMany: number[]) => {
    const of = (account: Account, phones: number[]) =>
      phones.map((at) => ({ engine, command: command(account, `d${at}`) }));
    const requests = [...of(few, ofFew), ...of(many, ofMany)];
    const rows = await engine.run(connectBatchStatement(engine.dialect, requests));
    return rows.map(({ row }) => row.device_id).toSorted();
  };
  expect(await grant([0, 1, 2, 3], [4])).toEqual(['d0', 'd1', 'd2', 'd4']);
  // The minutes of all three requests exceed the quota.
  expect(await grant([], [5, 6, 7])).toEqual([]);
  expect(await grant([8], [5, 6])).toEqual(['d5', 'd6']);
  await expectInvariants(world);
});

test('requests of one account do not exceed its minutes', async () => {
  const account = await world.account({ quotaMinutes: 30 * (COUNT - 3) });
  await reportAll();
  const outcomes = await connectAll(times(() => account));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(COUNT - 3);
  await expectInvariants(world);
});

test('a request is refused for its own reason, and the others are granted', async () => {
  const owners = await accounts();
  owners[2] = await world.account({ maxSessions: 0 });
  owners[3] = await world.account({ quotaMinutes: 29 });
  owners[4] = { ...owners[4]!, keyId: 'key_unknown' };
  const phones = times((index) => ({ id: `d${index}`, usable: index !== 5 }));
  await world.report(phones.slice(0, -1));
  const outcomes = await connectAll(owners);
  expect(outcomes.map((outcome) => (outcome.ok ? 'granted' : outcome.refusal.why))).toEqual([
    ...['granted', 'granted', 'quota', 'quota', 'key-invalid', 'device-unavailable'],
    ...Array.from({ length: COUNT - 7 }, () => 'granted'),
    'device-not-found',
  ]);
  await expectInvariants(world);
});

test('requests whose rows are locked do not delay the others', async () => {
  const owners = await accounts();
  await reportAll();
  await world.query('begin');
  const lockedDevice = `select id from devices where id = 'd3' for update`;
  const lockedAccount = `select id from accounts where id = '${owners[5]!.accountId}' for update`;
  for (const lock of [lockedDevice, lockedAccount]) await world.query(lock);
  const isLocked = (at: number) => at === 3 || at === 5;
  const requests = owners.map((owner, at) => world.connect(owner, `d${at}`));
  try {
    const others = await Promise.all(requests.filter((_, at) => !isLocked(at)));
    expect(others.every(({ ok }) => ok)).toBe(true);
  } finally {
    await world.query('commit');
  }
  const sessions = sessionsOf(await Promise.all(requests));
  await world.query('begin');
  await world.query(lockedAccount);
  const ends = sessions.map(({ id, accountId }) =>
    world.store.end({ sessionId: id, accountId, reason: 'client' }),
  );
  try {
    await Promise.all(ends.filter((_, at) => at !== 5));
  } finally {
    await world.query('commit');
  }
  expect((await Promise.all(ends)).every((end) => end?.ended)).toBe(true);
  await expectInvariants(world);
});

test('a request whose text the database cannot store does not affect the others', async () => {
  const owners = await accounts();
  await reportAll();
  const outcomes = await Promise.all(
    owners.map((owner, at) => world.connect(owner, at === 4 ? 'd4\0' : at === 5 ? 'd5\ud800' : `d${at}`)),
  );
  expect(outcomes.map((outcome) => (outcome.ok ? 'granted' : outcome.refusal.why))).toEqual(
    times((at) => (at === 4 || at === 5 ? 'device-not-found' : 'granted')),
  );
  expect(await transactions()).toBeLessThan(COUNT / 2);
});

test('every request gets its own audit entry, with what it names first', async () => {
  const owners = await accounts();
  await reportAll();
  const events = owners.map(({ accountId, keyId }, at): AuditEvent => {
    const device = { kind: 'device', id: `d${at}` } as const;
    return { accountId, keyId, action: 'devices.connect', address: `10.0.0.${at}`, targets: [device] };
  });
  const sessions = await Promise.all(
    owners.map(async (owner, at) => {
      // Every third request is not audited.
      const audit = at % 3 === 2 ? undefined : events[at];
      const outcome = await world.store.connect(command(owner, `d${at}`), audit);
      return sessionsOf([outcome])[0]!;
    }),
  );
  const ending = sessions.map(({ id, accountId, keyId }): AuditEvent => {
    const session = { kind: 'session', id } as const;
    return { accountId, keyId, action: 'sessions.disconnect', address: null, targets: [session] };
  });
  const end = ({ id, accountId }: SessionRow, at: number) =>
    world.store.end({ sessionId: id, accountId, reason: 'client' }, ending[at]);
  // The second disconnect of each session changes nothing.
  const outcomes = await Promise.all(sessions.flatMap((session, at) => [end(session, at), end(session, at)]));
  expect(outcomes.filter((outcome) => outcome?.ended)).toHaveLength(COUNT);
  expect(events.map(({ isRecorded }) => isRecorded ?? false)).toEqual(times((at) => at % 3 !== 2));
  expect(ending.every(({ isRecorded }) => isRecorded)).toBe(true);
  const entries = await world.query<Record<string, unknown>>(
    `select account_id, key_id, action, address, target_kind, target_id, other_kind, other_id from audit`,
  );
  const connects = sessions.flatMap(({ id, deviceId, accountId, keyId }, at) =>
    at % 3 === 2
      ? []
      : [
          {
            ...{ account_id: accountId, key_id: keyId, action: 'devices.connect', address: `10.0.0.${at}` },
            ...{ target_kind: 'device', target_id: deviceId, other_kind: 'session', other_id: id },
          },
        ],
  );
  const disconnects = sessions.map(({ id, deviceId, accountId, keyId }) => ({
    ...{ account_id: accountId, key_id: keyId, action: 'sessions.disconnect', address: null },
    ...{ target_kind: 'session', target_id: id, other_kind: 'device', other_id: deviceId },
  }));
  expect(entries).toHaveLength(connects.length + disconnects.length);
  expect(entries).toEqual(expect.arrayContaining([...connects, ...disconnects]));
});

/** A store whose statements wait, each time that they read the clock, while this connection holds the lock `PAUSE`. */
const PAUSE = 77;
async function pausingStore() {
  await world.query('create schema pausing');
  await world.query(`create function pausing.clock_timestamp() returns timestamptz language plpgsql set lock_timeout = 0 as $$
    begin perform pg_advisory_xact_lock_shared(${PAUSE}); return pg_catalog.clock_timestamp(); end $$`);
  const options = encodeURIComponent('-csearch_path=public,pausing,pg_catalog');
  return openStore({ databaseUrl: `${databaseUrl}?options=${options}` }, { log: silentLog });
}

test('decides each request on the newest versions of its rows, which may change while it runs', async () => {
  const owners = await accounts();
  await reportAll();
  await using store = await pausingStore();
  await world.query(`select pg_advisory_lock(${PAUSE})`);
  const requests = owners.map((owner, at) => store.connect(command(owner, `d${at}`)));
  // The request that runs alone, and the batch after it has locked the rows of its first request.
  await vi.waitFor(
    async () => {
      const waiting = await world.query('select pid from pg_locks where not granted group by pid');
      expect(waiting).toHaveLength(2);
    },
    { timeout: 60_000, interval: 10 },
  );
  await world.query(`update accounts set max_sessions = 0 where id = '${owners[3]!.accountId}'`);
  await world.query(`update accounts set quota_minutes = 29 where id = '${owners[4]!.accountId}'`);
  await world.store.revokeKey(owners[5]!.keyId);
  await world.query(`update devices set epoch = epoch + 3, clean_epoch = epoch + 3 where id = 'd6'`);
  await world.query(`update devices set usable = 0, status = 'offline' where id = 'd7'`);
  await world.query(`select pg_advisory_unlock(${PAUSE})`);
  const outcomes = await Promise.all(requests);
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.session.epoch : outcome.refusal.why))).toEqual([
    ...[1, 1, 1, 'quota', 'quota', 'key-invalid', 4, 'device-unavailable'],
    ...Array.from({ length: COUNT - 8 }, () => 1),
  ]);
  await expectInvariants(world);
});
