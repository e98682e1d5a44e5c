import type { Migration } from './migration.ts';

/**
 * shows: the live screen of the session, or its recording. expires_at: null for the screen, because such a link works
 * until the session ends. A process of an earlier version creates only links to the screen.
 */
export const recordingLinks: Migration = {
  id: 24,
  name: 'recording links',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    `alter table watch_links add column shows ${text} not null default 'screen'`,
    'alter table watch_links add column expires_at bigint',
  ],
};
