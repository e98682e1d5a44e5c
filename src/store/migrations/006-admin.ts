import type { Migration } from './migration.ts';

/**
 * Data for operators and account holders: the last use of a key, disabled accounts, renamed, annotated and deleted
 * devices, usage by the hour, and the audit trail.
 */
export const admin: Migration = {
  id: 6,
  name: 'admin',
  minimumCompatibleSchema: 4,
  statements: ({ text }) => [
    'alter table keys add column last_used_at bigint',
    `alter table keys add column last_used_from ${text}`,
    'alter table accounts add column disabled_at bigint',
    // own_name: the name that the device reports, while an operator has given it another name; forgotten: excluded from every list
    `alter table devices add column own_name ${text}`,
    `alter table devices add column maintenance_note ${text}`,
    'alter table devices add column forgotten integer not null default 0',
    // made_id: identifier of the key or account that was created
    `alter table idempotency_keys add column made_id ${text}`,
    // Each index contains the columns by which its lists filter and count
    'create index sessions_by_creation on sessions (created_at, id, status, ended_at)',
    'create index sessions_of_device on sessions (device_id, created_at, id, status)',
    // offered: sum of the offered devices over the sampled minutes; minute: the last sampled one (Unix minutes)
    `create table fleet_hours (
      hour bigint primary key,
      minute bigint not null,
      sampled integer not null,
      offered bigint not null
    )`,
    // No foreign keys: an entry outlives the objects that it names, and inserting it does not lock them
    `create table audit (
      at bigint not null,
      id ${text} not null,
      account_id ${text},
      key_id ${text},
      action ${text} not null,
      address ${text},
      code integer not null,
      target_kind ${text},
      target_id ${text},
      other_kind ${text},
      other_id ${text},
      primary key (at, id)
    )`,
    'create index audit_of_account on audit (account_id, at, id) where account_id is not null',
    'create index audit_of_action on audit (action, at, id)',
    'create index audit_of_target on audit (target_id, at, id) where target_id is not null',
    'create index audit_of_other on audit (other_id, at, id) where other_id is not null',
  ],
};
