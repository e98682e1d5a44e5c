import type { Migration } from './migration.ts';

/** 20 GiB: what PHONEBOOTH_MAX_APP_STORAGE is unless it is set. Accounts from before have a limit from now on, too. */
const DEFAULT_BYTES = 20 * 1024 ** 3;

/**
 * Of an account: how many bytes its apps may take on disk (null: any number). Of an app: how many its files take; null until they were
 * measured, which they are by the process that has them, for apps from before.
 */
export const appStorage: Migration = {
  id: 15,
  name: 'app storage',
  livableSince: 3,
  statements: () => [
    `alter table accounts add column max_app_bytes bigint default ${DEFAULT_BYTES}`,
    'alter table apps add column stored_size bigint',
    'create index apps_by_account on apps (account_id)',
    'create index apps_to_measure on apps (id) where stored_size is null',
  ],
};
