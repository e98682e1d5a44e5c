import type { Migration } from './migration.ts';

/** replayed: whether a repeat of the request has received its session, which then belongs to more than one client. */
export const replayedRequests: Migration = {
  id: 26,
  name: 'replayed requests',
  minimumCompatibleSchema: 4,
  statements: () => ['alter table idempotency_keys add column replayed integer not null default 0'],
};
