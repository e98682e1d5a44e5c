import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sessionDevice } from '../../src/store/migrations/018-session-device.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';

let server: TestPostgres;
let store: Store;
const opened = new AsyncDisposableStack();
let connect: () => Promise<pg.Client>;

beforeAll(async () => {
  server = opened.use(await startPostgres());
  const databaseUrl = await server.createDatabase();
  store = opened.use(await openStore({ databaseUrl }, { log: silentLog }));
  connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    opened.defer(() => client.end());
    return client;
  };
});
afterAll(() => opened.disposeAsync());

const description = (id: string) => ({
  ...{ id, name: id, brand: 'google', model: 'GX7AS', os_version: '14' },
  ...{ screen_size: '6.1', resolution: '1080x2400' },
});
const report = (...ids: string[]) =>
  store.reportHost({
    ...{ hostId: 'host-1', hostName: 'shelf', complete: false },
    phones: ids.map((id) => ({
      ...{ description: description(id), usable: true, problem: null, cleanEpoch: 0, lease: null },
    })),
  });

test('an open transaction does not delay other events, and its own events appear after it commits', async () => {
  await report('d1', 'd2', 'd3');
  let { cursor } = await store.readEvents(null, 100);
  const read = async (limit = 100) => {
    const page = await store.readEvents(cursor, limit);
    expect(page.reset).toBe(false);
    cursor = page.cursor;
    return page.events.map(({ id }) => id).sort();
  };
  const [slow, undone] = [await connect(), await connect()];
  await slow.query('begin');
  await slow.query(`update devices set name = 'late' where id = 'd1'`);
  await undone.query('begin');
  await undone.query(`update devices set name = 'never' where id = 'd2'`);

  expect(await read()).toEqual([]);
  await report('d4', 'd5', 'd6');
  // The page ends in the middle of a transaction that started after those that are still open
  expect(await read(2)).toEqual(['d4', 'd5']);
  expect(await read(2)).toEqual(['d6']);
  await report('d7');
  expect(await read()).toEqual(['d7']);
  expect(await read()).toEqual([]);

  await slow.query('commit');
  await undone.query('rollback');
  expect(await read()).toEqual(['d1']);
  expect(await read()).toEqual([]);
});

test('a device list that is answered from memory contains changes that are committed after later ones', async () => {
  await report('l1', 'l2', 'l3');
  const names = async () => {
    const page = await store.listDevices({ accountId: 'anybody', page: 1, pageSize: 100 });
    return new Map(page.items.map(({ id, name }) => [id, name]));
  };
  const repeated = async () => {
    for (let n = 0; n < 3; n++) await names();
    return names();
  };
  const slow = await connect();
  await slow.query('begin');
  await slow.query(`update devices set name = 'late' where id = 'l1'`);
  expect((await repeated()).get('l1')).toBe('l1');
  await store.updateDevice({ deviceId: 'l2', name: 'early' });
  expect((await names()).get('l2')).toBe('early');
  expect((await repeated()).get('l1')).toBe('l1');
  await slow.query('commit');
  expect((await names()).get('l1')).toBe('late');
});

test('reports a cursor from before a transaction whose events were trimmed', async () => {
  const slow = await connect();
  await slow.query('begin');
  await slow.query(`update devices set name = 'slow' where id = 'd1'`);
  await report(randomUUID());
  const { cursor } = await store.readEvents(null, 100);
  await slow.query('commit');
  await report(randomUUID());
  await store.trimEvents({ maxAgeMs: 0, maxCount: 1, limit: 1_000 });
  expect(await store.readEvents(cursor, 100)).toMatchObject({ events: [], reset: true });
});

test('skips events that were restored from the backup of another server', async () => {
  const { cursor } = await store.readEvents(null, 100);
  const beside = await connect();
  await beside.query(`insert into events (tx, kind, subject, at) values (999999999999, 'device', 'd1', 0)`);
  expect(await store.readEvents(cursor, 100)).toMatchObject({ events: [], reset: false });
  await beside.query('delete from events where tx = 999999999999');
});

test('expires a silent host with 10,000 phones, whatever the cached plans of its triggers', async () => {
  const databaseUrl = await server.createDatabase();
  let offset = 0;
  await using fleet = await openStore({ databaseUrl }, { log: silentLog, clockOffsetMs: () => offset });
  const phones = Array.from({ length: 10_000 }, (_, n) => ({
    ...{ description: description(`d${n}`), usable: true, problem: null, cleanEpoch: 0, lease: null },
  }));
  await fleet.reportHost({ hostId: 'host-1', hostName: 'shelf', complete: true, phones });
  let { cursor } = await fleet.readEvents(null, 1);
  offset += 11_000;
  expect((await fleet.reap({ limit: 200, hostSilenceMs: () => 10_000 })).lostHosts).toEqual(['host-1']);
  const gone = new Set<string>();
  for (let more = true; more; ) {
    const page = await fleet.readEvents(cursor, 250);
    for (const { id } of page.events) gone.add(id);
    ({ cursor, more } = page);
  }
  expect(gone.size).toBe(10_000);
});

test('the migration that names the devices of sessions writes no events', async () => {
  await report('n1');
  const account = { name: 'default', quotaMinutes: null, maxSessions: null, maxAppBytes: null };
  await store.ensureBootstrapKey({ account, hash: 'hash', prefix: 'pb_' });
  const [key] = (await store.listFleetKeys({ page: 1, pageSize: 1 })).items;
  const { id: keyId, accountId } = key!;
  const command = { sessionId: 'ses_n', deviceId: 'n1', keyId, accountId, minutes: 10, appId: null };
  expect(
    await store.connect({ ...command, record: null, recordText: false, idempotency: null }),
  ).toMatchObject({ ok: true });
  const { cursor } = await store.readEvents(null, 100);
  const client = await connect();
  await client.query('update sessions set device_name = null, device_model = null');
  const vocabulary = { text: 'text', bytes: '', clock: '', hotTable: '', supportsConcurrentWriters: true };
  const [, , fill] = sessionDevice.statements({ ...vocabulary, lock: null });
  await client.query(fill!);
  expect(await store.getSession('ses_n')).toMatchObject({ deviceName: 'n1', deviceModel: 'GX7AS' });
  expect(await store.readEvents(cursor, 100)).toMatchObject({ events: [], reset: false });
});
