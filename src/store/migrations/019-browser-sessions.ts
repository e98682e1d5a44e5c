import type { Migration } from './migration.ts';

/**
 * keys.parent_id: the key with which a browser signed in; null for a key that was created in another way. The key of the
 * browser session is revoked with it, and can create no key that it could not create.
 */
export const browserSessions: Migration = {
  id: 19,
  name: 'browser sessions',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    `alter table keys add column parent_id ${text}`,
    'create index keys_of_parent on keys (parent_id) where parent_id is not null',
  ],
};
