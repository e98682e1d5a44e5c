import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts';
import { postgresDatabase } from './databases.ts';
import { storeSuite } from './suite.ts';

// Cursors of the event log contain the running transactions of all databases of a server, so a long transaction of another
// test file would change what the suite reads.
let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

storeSuite('PostgreSQL', () => postgresDatabase(server));

test('every trigger function of the schema is executed by a trigger', async () => {
  await using database = await postgresDatabase(server);
  await using _store = await database.open(() => 0);
  const functions = await database.query<{ name: string; used: boolean }>(`
    select proname as name, exists (select 1 from pg_trigger where tgfoid = p.oid) as used
    from pg_proc p where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype`);
  expect(functions.filter(({ used }) => used)).not.toEqual([]);
  expect(functions.filter(({ used }) => !used).map(({ name }) => name)).toEqual([]);
});
