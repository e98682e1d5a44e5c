import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { silentLog } from '../../src/util/log.ts';
import { query, startPostgres, type TestPostgres } from '../fixtures/postgres.ts';

/** The store gives up on a server within this time, whatever is wrong with it. */
const DEADLINE_MS = 15_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server?.stop());

describe('PostgreSQL', () => {
  test('that stops is out of reach within the deadline; once it is back, so is the store', async () => {
    await using store = await openStore({ databaseUrl: await server.createDatabase() }, { log: silentLog });
    const secret = await store.secret('sockets');
    await server.halt();
    const began = performance.now();
    const answers = await Promise.allSettled([
      store.ping(),
      store.secret('sockets'),
      store.createAccount({ name: 'team', quotaMinutes: null, maxSessions: null }),
    ]);
    expect(performance.now() - began).toBeLessThan(DEADLINE_MS);
    for (const answer of answers) {
      expect(answer).toEqual({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
    }
    await server.resume();
    await vi.waitFor(() => store.ping(), { timeout: DEADLINE_MS, interval: 50 });
    expect(await store.secret('sockets')).toEqual(secret);
  }, 90_000);

  test('that nobody listens for is out of reach from the start', async () => {
    const databaseUrl = 'postgres://postgres@127.0.0.1:1/none';
    await expect(openStore({ databaseUrl }, { log: silentLog })).rejects.toThrow(StoreUnavailableError);
  });

  test('whose connections are cut under the store’s feet serves on', async () => {
    const databaseUrl = await server.createDatabase();
    await using store = await openStore({ databaseUrl }, { log: silentLog });
    await store.ping();
    await query(
      server.url,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'phonebooth'`,
    );
    await vi.waitFor(() => store.ping(), { timeout: DEADLINE_MS, interval: 20 });
  }, 30_000);

  test('that stops in the middle of transactions ends no process of ours', async () => {
    await using store = await openStore({ databaseUrl: await server.createDatabase() }, { log: silentLog });
    let working = true;
    // Each is several statements, so that the end finds many connections between two of them.
    const work = async () => {
      while (working) {
        await store.reap({ limit: 10, hostSilenceMs: 1_000 }).catch((error) => {
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
    await vi.waitFor(() => store.ping(), { timeout: DEADLINE_MS, interval: 50 });
  }, 90_000);

  test('is brought up to date once when many processes start together', async () => {
    const databaseUrl = await server.createDatabase();
    const stores = await Promise.all(
      Array.from({ length: 5 }, () => openStore({ databaseUrl }, { log: silentLog })),
    );
    try {
      const secrets = await Promise.all(stores.map((store) => store.secret('sockets')));
      expect(new Set(secrets.map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(1);
      const migrations = await query<{ id: number }>(databaseUrl, 'select id from migrations order by id');
      expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1));
      expect(migrations.length).toBeGreaterThanOrEqual(3);
    } finally {
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    }
  }, 60_000);

  test('with a schema newer than this version knows is left alone', async () => {
    const databaseUrl = await server.createDatabase();
    await (await openStore({ databaseUrl }, { log: silentLog }))[Symbol.asyncDispose]();
    await query(
      databaseUrl,
      `insert into migrations (id, name, applied_at, livable_since) values (998, 'later, and livable', 0, 4)`,
    );
    await using _ = await openStore({ databaseUrl }, { log: silentLog });
    await query(databaseUrl, `insert into migrations (id, name, applied_at) values (999, 'later', 0)`);
    await expect(openStore({ databaseUrl }, { log: silentLog })).rejects.toThrow(/schema 999/);
  }, 30_000);
});
