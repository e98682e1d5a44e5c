import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { storeSuite } from './suite.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server?.stop());

storeSuite('PostgreSQL', async () => {
  const databaseUrl = await server.createDatabase();
  const beside = new pg.Client({ connectionString: databaseUrl });
  await beside.connect();
  return {
    open: (clockOffsetMs) => openStore({ databaseUrl }, { log: silentLog, clockOffsetMs }),
    query: async <R>(text: string) => (await beside.query(text)).rows as R[],
    [Symbol.asyncDispose]: () => beside.end(),
  };
});
