import type { Migration } from './migration.ts';

/** The trigger functions that join the old and the new rows of a statement. */
const JOINING = ['count_updated_devices', 'log_update_of_devices', 'log_update_of_sessions'];

/**
 * A trigger's statement is planned when a connection first runs it, possibly for one row or none. The plan is then a
 * nested loop. It is kept when a lost host changes 10,000 devices, all of which it compares with each other for
 * longer than the statement timeout. A hash join costs nothing extra for one row.
 */
export const triggerPlans: Migration = {
  id: 8,
  name: 'trigger-plans',
  minimumCompatibleSchema: 3,
  statements: ({ supportsConcurrentWriters }) =>
    supportsConcurrentWriters
      ? JOINING.map((name) => `alter function ${name}() set enable_nestloop = off`)
      : [],
};
