import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { postgresDatabase } from './databases.ts';
import { storeSuite } from './suite.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server?.stop());

storeSuite('PostgreSQL', () => postgresDatabase(server));
