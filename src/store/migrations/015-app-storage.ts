import type { Migration } from './migration.ts';

/** 20 GiB, the default of PHONEBOOTH_MAX_APP_STORAGE. Existing accounts get this limit as well. */
const DEFAULT_BYTES = 20 * 1024 ** 3;

/**
 * max_app_bytes: maximum disk space for the apps of an account, bytes (null: unlimited). stored_size: disk space that
 * the files of an app take, bytes; null until it is measured. For existing apps, the process that has the files
 * measures it.
 */
export const appStorage: Migration = {
  id: 15,
  name: 'app storage',
  minimumCompatibleSchema: 3,
  statements: () => [
    `alter table accounts add column max_app_bytes bigint default ${DEFAULT_BYTES}`,
    'alter table apps add column stored_size bigint',
    'create index apps_by_account on apps (account_id)',
    'create index apps_to_measure on apps (id) where stored_size is null',
  ],
};
