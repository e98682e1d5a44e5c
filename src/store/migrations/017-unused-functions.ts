import type { Migration } from './migration.ts';

/** Functions of triggers that the migration 016 replaced. */
const UNUSED = ['log_insert_of_sessions', 'log_update_of_sessions', 'log_update_of_devices'];

/** Drops the functions that no trigger executes any more. Only the database with concurrent writers has functions. */
export const unusedFunctions: Migration = {
  id: 17,
  name: 'unused-functions',
  minimumCompatibleSchema: 4,
  statements: ({ supportsConcurrentWriters }) =>
    supportsConcurrentWriters ? UNUSED.map((name) => `drop function ${name}()`) : [],
};
