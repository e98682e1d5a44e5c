import { expect, test } from 'vitest';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { postgresDatabase } from './databases.ts';
import { storeSuite } from './suite.ts';

storeSuite('PostgreSQL', () => postgresDatabase(sharedPostgres));

test('every trigger function of the schema is executed by a trigger', async () => {
  await using database = await postgresDatabase(sharedPostgres);
  await using _store = await database.open(() => 0);
  const functions = await database.query<{ name: string; used: boolean }>(`
    select proname as name, exists (select 1 from pg_trigger where tgfoid = p.oid) as used
    from pg_proc p where pronamespace = 'public'::regnamespace and prorettype = 'trigger'::regtype`);
  expect(functions.filter(({ used }) => used)).not.toEqual([]);
  expect(functions.filter(({ used }) => !used).map(({ name }) => name)).toEqual([]);
});
