import type { Migration } from './migration.ts';

/**
 * watch_links: grants to watch the stream of one session. created_by: the key that created the link; revoking the key
 * makes the link invalid. keys.deleted_at: the key was deleted, and its row is kept because sessions or watch links
 * refer to it.
 */
export const watchLinks: Migration = {
  id: 12,
  name: 'watch links',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    `create table watch_links (
      id ${text} primary key,
      session_id ${text} not null references sessions (id),
      created_by ${text} not null references keys (id),
      created_at bigint not null,
      revoked_at bigint
    )`,
    'create index watch_links_of_session on watch_links (session_id, created_at, id)',
    'create index watch_links_of_key on watch_links (created_by)',
    'alter table keys add column deleted_at bigint',
    'create index keys_by_end on keys (coalesce(revoked_at, expires_at)) where deleted_at is null',
    'create index sessions_of_key on sessions (key_id)',
  ],
};
