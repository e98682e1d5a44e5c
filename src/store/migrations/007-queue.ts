import type { Migration } from './migration.ts';

/**
 * Requests that wait for a device. place: the order of arrival. id: identifier of the future session. brand,
 * os_version, model: the filter; empty: any value. A process without a heartbeat until alive_until counts as stopped.
 * Its waiters are then skipped, and are deleted with it.
 */
export const queue: Migration = {
  id: 7,
  name: 'queue',
  minimumCompatibleSchema: 3,
  statements: ({ text, hotTable, supportsConcurrentWriters }) => [
    `create table waiter_processes (id ${text} primary key, alive_until bigint not null) ${hotTable}`,
    `create table waiters (
      place ${supportsConcurrentWriters ? 'bigint generated always as identity' : 'integer'} primary key
        ${supportsConcurrentWriters ? '' : 'autoincrement'},
      id ${text} not null unique,
      process_id ${text} not null references waiter_processes (id) on delete cascade,
      account_id ${text} not null references accounts (id) on delete cascade,
      key_id ${text} not null references keys (id) on delete cascade,
      brand ${text} not null,
      os_version ${text} not null,
      model ${text} not null,
      minutes bigint not null,
      app_id ${text},
      idempotency_key ${text},
      fingerprint ${text},
      created_at bigint not null
    )`,
    'create index waiters_of_process on waiters (process_id, brand, os_version, model, place)',
    'create index waiters_by_filter on waiters (brand, os_version, model, place)',
    'create index waiters_of_account on waiters (account_id)',
    'create index waiters_of_key on waiters (key_id)',
    'create index devices_by_model on devices (model, status, brand, os_version, id)',
  ],
};
