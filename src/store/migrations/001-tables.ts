import type { Migration } from './migration.ts';

/**
 * The base tables. Times are Unix milliseconds, flags are 0 or 1. Identifiers compare byte by byte in both databases,
 * so that the order of a list does not depend on a locale.
 */
export const tables: Migration = {
  id: 1,
  name: 'tables',
  minimumCompatibleSchema: 1,
  statements: ({ text, bytes, hotTable }) => [
    `create table accounts (
      id ${text} primary key,
      name ${text} not null unique,
      quota_minutes bigint,
      max_sessions bigint,
      live_sessions bigint not null default 0 check (live_sessions >= 0),
      created_at bigint not null
    ) ${hotTable}`,
    `create table keys (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      name ${text} not null,
      role ${text} not null check (role in ('user', 'admin', 'viewer')),
      hash ${text} not null unique,
      prefix ${text} not null,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint
    )`,
    'create index keys_of_account on keys (account_id)',
    // lost: the host has not reported for too long; its devices are offline and its sessions have ended
    `create table hosts (
      id ${text} primary key,
      name ${text} not null,
      last_seen bigint not null,
      lost integer not null default 0
    ) ${hotTable}`,
    'create index hosts_by_silence on hosts (last_seen) where lost = 0',
    // status: result of deviceStatus() in domain/device-status.ts for the other columns, stored so that lists need no
    // joins
    `create table devices (
      id ${text} primary key,
      host_id ${text} not null references hosts (id),
      name ${text} not null,
      brand ${text} not null,
      model ${text} not null,
      os_version ${text} not null,
      screen_size ${text} not null,
      resolution ${text} not null,
      epoch bigint not null,
      clean_epoch bigint not null,
      present integer not null,
      usable integer not null,
      problem ${text},
      maintenance integer not null default 0,
      status ${text} not null check (status in ('available', 'busy', 'offline', 'maintenance'))
    )`,
    'create index devices_of_host on devices (host_id)',
    // Each index contains the columns by which its lists filter and sort, so that a deep page reads only the index
    `create index devices_listed on devices (id, os_version, status) where status not in ('offline', 'maintenance')`,
    `create index devices_by_brand on devices (brand, id, os_version, status) where status not in ('offline', 'maintenance')`,
    'create index devices_by_status on devices (status, id, os_version)',
    'create index devices_by_brand_status on devices (brand, status, id, os_version)',
    // month, minutes_next_month: the months in which the minutes were reserved (domain/settlement.ts)
    `create table sessions (
      id ${text} primary key,
      device_id ${text} not null references devices (id),
      host_id ${text} not null references hosts (id),
      account_id ${text} not null references accounts (id),
      key_id ${text} not null references keys (id),
      epoch bigint not null,
      status ${text} not null check (status in ('connecting', 'connected', 'disconnected')),
      created_at bigint not null,
      connected_at bigint,
      expires_at bigint not null,
      ended_at bigint,
      end_reason ${text},
      end_detail ${text},
      app_id ${text},
      app_status ${text},
      month ${text} not null,
      minutes_reserved bigint not null,
      minutes_next_month bigint not null default 0,
      minutes_charged bigint,
      check ((status = 'disconnected') = (ended_at is not null)),
      check ((status = 'disconnected') = (minutes_charged is not null))
    )`,
    // Safeguard: there can never be two live sessions on one device
    `create unique index sessions_live_device on sessions (device_id) where status <> 'disconnected'`,
    `create index sessions_by_expiry on sessions (expires_at) where status <> 'disconnected'`,
    `create index sessions_by_start on sessions (created_at) where status = 'connecting'`,
    'create index sessions_of_account on sessions (account_id, created_at, id, status, device_id)',
    `create table usage (
      account_id ${text} not null references accounts (id),
      month ${text} not null,
      minutes bigint not null check (minutes >= 0),
      primary key (account_id, month)
    ) ${hotTable}`,
    `create table idempotency_keys (
      account_id ${text} not null references accounts (id),
      key ${text} not null,
      fingerprint ${text} not null,
      session_id ${text} not null references sessions (id),
      created_at bigint not null,
      primary key (account_id, key)
    )`,
    'create index idempotency_keys_by_age on idempotency_keys (created_at)',
    `create table secrets (name ${text} primary key, value ${bytes} not null)`,
  ],
};
