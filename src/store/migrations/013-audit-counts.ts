import type { Migration } from './migration.ts';

/**
 * The number of equal requests that an audit entry stands for. Requests that changed nothing share one entry for a
 * minute.
 */
export const auditCounts: Migration = {
  id: 13,
  name: 'audit-counts',
  minimumCompatibleSchema: 4,
  statements: () => ['alter table audit add column count integer not null default 1'],
};
