import type { Migration } from './migration.ts';

/** How many equal requests an entry of the audit trail stands for: those that changed nothing share one for a minute. */
export const auditCounts: Migration = {
  id: 13,
  name: 'audit-counts',
  livableSince: 4,
  statements: () => ['alter table audit add column count integer not null default 1'],
};
