import type { Migration } from './migration.ts';

/** The functions of triggers that join the rows of a statement as they were to what they became. */
const JOINING = ['count_updated_devices', 'log_update_of_devices', 'log_update_of_sessions'];

/**
 * A trigger's statement is planned when a connection first runs it, and that may be for one row or none: the join is
 * then a nested loop, and stays one when a host that is lost takes 10,000 phones with it, which it compares with each
 * other for longer than a statement may take. Hashing costs one row nothing.
 */
export const triggerPlans: Migration = {
  id: 8,
  name: 'trigger-plans',
  livableSince: 3,
  statements: ({ supportsConcurrentWriters }) =>
    supportsConcurrentWriters
      ? JOINING.map((name) => `alter function ${name}() set enable_nestloop = off`)
      : [],
};
