import { on } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { type Log, silentLog } from '../../src/util/log.ts';
import { startApiRig } from '../api/api-rig.ts';
import { newAccount, newKey } from '../fixtures/accounts.ts';
import { query, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { SmallDisk } from '../fixtures/small-disk.ts';
import { promised } from '../nightly.ts';
import { phoneReport } from './world.ts';

/** Affects new connections immediately, and existing ones once they have reloaded the settings. */
async function makeReadOnly(isReadOnly: boolean): Promise<void> {
  await query(server.url, `alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await query(server.url, 'select pg_reload_conf()');
  const setting = () => query<{ on: string }>(server.url, 'show default_transaction_read_only');
  await vi.waitFor(async () => {
    const [shown] = await setting();
    expect(shown).toEqual({ default_transaction_read_only: isReadOnly ? 'on' : 'off' });
  }, SOON);
}

const SOON = { timeout: 60_000, interval: 50 };

interface Envelope {
  code: number;
  message: string;
  data: Record<string, unknown>;
}

async function askApi(baseUrl: string, key: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, headers } = answer;
  return { status, headers, body: (await answer.json()) as Envelope };
}

/** A log that keeps what it is given at `warn` and `error`. */
function keepingLog() {
  const logged: { fields: object; message: string }[] = [];
  const note = (fields: object, message: string) => void logged.push({ fields, message });
  const log: Log = { ...silentLog, warn: note, error: note };
  return { log, logged };
}

/** On a slow machine, a read may come so long after the last failure that it counts as the end of the outage. */
const isOfOutage = ({ message }: { message: string }) => message !== 'the store is available again';

/** Large enough for a cluster, a database and two segments of its write-ahead log. */
const SMALL_DISK_MB = 160;

/** The store reports a server as unavailable within this time, whatever the failure is. */
const DEADLINE_MS = 15_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

describe('PostgreSQL', () => {
  test('that stops is reported as unavailable within the deadline, and the store recovers with it', async () => {
    await using store = await openStore({ databaseUrl: await server.createDatabase() }, { log: silentLog });
    const secret = await store.ensureSecret('sockets');
    await server.halt();
    const began = performance.now();
    const answers = await Promise.allSettled([
      store.ping(),
      store.ensureSecret('sockets'),
      newAccount(store),
    ]);
    expect(performance.now() - began).toBeLessThan(promised(DEADLINE_MS));
    for (const answer of answers) {
      expect(answer).toEqual({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
    }
    await server.resume();
    await vi.waitFor(() => store.ping(), { timeout: promised(DEADLINE_MS), interval: 50 });
    expect(await store.ensureSecret('sockets')).toEqual(secret);
  });

  test('that does not listen is reported as unavailable from the start', async () => {
    const databaseUrl = 'postgres://postgres@127.0.0.1:1/none';
    await expect(openStore({ databaseUrl }, { log: silentLog })).rejects.toThrow(StoreUnavailableError);
  });

  test('that drops connections does not interrupt the store', async () => {
    const databaseUrl = await server.createDatabase();
    await using store = await openStore({ databaseUrl }, { log: silentLog });
    await store.ping();
    await query(
      server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'phonebooth'`,
    );
    await vi.waitFor(() => store.ping(), { timeout: promised(DEADLINE_MS), interval: 20 });
  });

  test('that stops during transactions does not crash a process', async () => {
    await using store = await openStore({ databaseUrl: await server.createDatabase() }, { log: silentLog });
    let working = true;
    // Each operation runs several statements, so that the shutdown interrupts many connections between two of them.
    const work = async () => {
      while (working) {
        await store.reap({ limit: 10, hostSilenceMs: () => 1_000 }).catch((error) => {
          expect(error).toBeInstanceOf(StoreUnavailableError);
          return delay(5);
        });
      }
    };
    const workers = Array.from({ length: 12 }, work);
    for (let times = 0; times < 3; times++) {
      await delay(200);
      await server.halt();
      await server.resume();
    }
    working = false;
    await Promise.all(workers);
    await vi.waitFor(() => store.ping(), { timeout: promised(DEADLINE_MS), interval: 50 });
  });

  test('that has a transaction of a stalled process ends it, before others that wait for its locks fail', async () => {
    const databaseUrl = await server.createDatabase();
    await using store = await openStore({ databaseUrl }, { log: silentLog });
    const { accountId } = await newAccount(store);
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL('./stalling-worker.ts', import.meta.url), {
      workerData: { databaseUrl, accountId, gate },
    });
    const messages = on(worker, 'message', { signal: AbortSignal.timeout(DEADLINE_MS * 4) });
    const posted = async () => (await messages.next()).value![0];
    try {
      expect(await posted()).toBe('locked');
      await newKey(store, accountId);
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      expect(await posted(), 'the stalled process repeats its transaction').toBe(2);
    } finally {
      await worker.terminate();
    }
  });

  test('that is read-only is answered with 50300 and Retry-After and logged once, while reads continue', async () => {
    const { log, logged } = keepingLog();
    const databaseUrl = await server.createDatabase();
    await using rig = await startApiRig({ databaseUrl, log });
    await rig.report({ id: 'phone-1' }, { id: 'phone-2' });
    const { key } = await rig.key();
    const ask = (method: string, path: string, body?: object) => askApi(rig.baseUrl, key, method, path, body);
    const taken = await ask('POST', '/devices/phone-1/connect', { duration: 5 });
    expect(taken.body.code).toBe(0);

    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => makeReadOnly(false));
    await makeReadOnly(true);
    const changes = [
      () => ask('POST', '/devices/phone-2/connect', { duration: 5 }),
      () => ask('POST', '/sessions', { duration: 5, wait: 1 }),
      () => ask('POST', `/sessions/${taken.body.data.session_id}/disconnect`),
    ];
    for (const change of [...changes, ...changes]) {
      const refusal = await change();
      expect(refusal).toMatchObject({
        status: 503,
        body: { code: 50300, message: expect.stringContaining('read-only') },
      });
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const path of ['/usage', '/devices', '/sessions']) {
      expect((await ask('GET', path)).body).toMatchObject({ code: 0 });
    }
    expect(logged.filter(isOfOutage)).toEqual([
      { fields: expect.objectContaining({ reason: 'read-only' }), message: 'the store is read-only' },
    ]);

    await makeReadOnly(false);
    expect((await changes[2]!()).body).toMatchObject({ code: 0, data: { end_reason: 'client' } });
    expect((await changes[0]!()).body).toMatchObject({ code: 0 });
  });

  test('that is out of disk space is answered with 50300 and Retry-After and logged once, while reads continue', async () => {
    await using disk = await SmallDisk.open(SMALL_DISK_MB, { keepsUsers: true });
    await using full = await startPostgres(disk);
    const { log, logged } = keepingLog();
    const databaseUrl = await full.createDatabase();
    await using rig = await startApiRig({ databaseUrl, log });
    const busy = phoneReport({ id: 'phone-2', cleanEpoch: null });
    const phones = [
      phoneReport({ id: 'phone-1' }),
      { ...busy, description: { ...busy.description, brand: 'Samsung' } },
    ];
    await rig.store.reportHost({ hostId: 'host-1', hostName: 'shelf', complete: true, phones });
    const { key } = await rig.key();
    const ask = (method: string, path: string, body?: object) => askApi(rig.baseUrl, key, method, path, body);
    // The write-ahead log continues in a file that has its full size, so that the server keeps running
    await query(databaseUrl, 'select pg_switch_wal()');
    await query(databaseUrl, 'create table written (id int)');
    await disk.fill();

    // No session and no waiting request has been stored yet, so the first one needs a new page of its table
    const changes = [
      () => ask('POST', '/devices/phone-1/connect', { duration: 5 }),
      () => ask('POST', '/sessions', { duration: 5 }),
      () => ask('POST', '/sessions', { duration: 5, brand: 'samsung', wait: 1 }),
    ];
    for (const change of [...changes, ...changes]) {
      const refusal = await change();
      expect(refusal).toMatchObject({
        status: 503,
        body: { code: 50300, message: expect.stringContaining('no disk space left') },
      });
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const path of ['/usage', '/devices', '/sessions']) {
      expect((await ask('GET', path)).body).toMatchObject({ code: 0 });
    }
    expect((await ask('GET', '/usage')).body.data).toMatchObject({
      minutes: { used: 0 },
      sessions: { live: 0 },
    });
    expect(logged.filter(isOfOutage)).toEqual([
      {
        fields: expect.objectContaining({ reason: 'out-of-space' }),
        message: 'the store has no disk space left',
      },
    ]);

    await disk.empty();
    expect((await changes[0]!()).body).toMatchObject({ code: 0 });
  });

  test('is migrated once when many processes start together', async () => {
    const databaseUrl = await server.createDatabase();
    const stores = await Promise.all(
      Array.from({ length: 5 }, () => openStore({ databaseUrl }, { log: silentLog })),
    );
    try {
      const secrets = await Promise.all(stores.map((store) => store.ensureSecret('sockets')));
      expect(new Set(secrets.map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(1);
      const migrations = await query<{ id: number }>(databaseUrl, 'select id from migrations order by id');
      expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1));
      expect(migrations.length).toBeGreaterThanOrEqual(3);
    } finally {
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    }
  });

  test('with a newer schema than this version supports is left untouched', async () => {
    const databaseUrl = await server.createDatabase();
    await (await openStore({ databaseUrl }, { log: silentLog }))[Symbol.asyncDispose]();
    await query(
      databaseUrl,
      `insert into migrations (id, name, applied_at, livable_since) values (998, 'later, and compatible', 0, 4)`,
    );
    await using _ = await openStore({ databaseUrl }, { log: silentLog });
    await query(databaseUrl, `insert into migrations (id, name, applied_at) values (999, 'later', 0)`);
    await expect(openStore({ databaseUrl }, { log: silentLog })).rejects.toThrow(/schema version 999/);
  });
});
