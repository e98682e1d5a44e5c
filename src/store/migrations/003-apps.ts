import type { Migration } from './migration.ts';

/**
 * Uploaded apps, and the app requests of sessions. The row of a deleted app stays until its files are deleted.
 * Sessions keep the identifier of their app forever, so that column is not a foreign key.
 * The table of idempotency keys, which were only for sessions, is recreated with a column for the app that a key
 * stands for.
 */
export const apps: Migration = {
  id: 3,
  name: 'apps',
  minimumCompatibleSchema: 3,
  statements: ({ text }) => [
    `create table apps (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      sha256 ${text} not null,
      size bigint not null,
      package ${text} not null,
      name ${text} not null,
      version ${text} not null,
      version_code bigint not null,
      min_sdk integer,
      icon_type ${text},
      created_at bigint not null,
      deleted_at bigint
    )`,
    'create unique index apps_by_content on apps (account_id, sha256) where deleted_at is null',
    'create index apps_of_account on apps (account_id, created_at, id) where deleted_at is null',
    'create index apps_deleted on apps (deleted_at) where deleted_at is not null',
    'alter table sessions add column app_error text',
    'alter table sessions add column app_request bigint not null default 0',
    `update sessions set app_request = 1 where app_id is not null`,
    `create index sessions_awaiting_app on sessions (app_id)
      where status <> 'disconnected' and app_status in ('pending', 'installing')`,
    `create table idempotency (
      account_id ${text} not null references accounts (id),
      key ${text} not null,
      fingerprint ${text} not null,
      session_id ${text} references sessions (id),
      app_id ${text},
      created_at bigint not null,
      primary key (account_id, key)
    )`,
    `insert into idempotency (account_id, key, fingerprint, session_id, created_at)
      select account_id, key, fingerprint, session_id, created_at from idempotency_keys`,
    'drop table idempotency_keys',
    'alter table idempotency rename to idempotency_keys',
    'create index idempotency_keys_by_age on idempotency_keys (created_at)',
  ],
};
