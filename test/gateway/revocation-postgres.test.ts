import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { postgresDatabase } from '../store/databases.ts';
import { revocationSuite } from './revocation-suite.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server?.stop());

revocationSuite('PostgreSQL', () => postgresDatabase(server));
