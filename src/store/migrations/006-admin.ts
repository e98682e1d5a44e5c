import type { Migration } from './migration.ts';

/**
 * What operators and account holders ask for: when and from where a key was last used, accounts that are disabled,
 * phones that are renamed, noted about and forgotten, use by the hour, and the audit trail.
 */
export const admin: Migration = {
  id: 6,
  name: 'admin',
  livableSince: 4,
  statements: ({ text }) => [
    'alter table keys add column last_used_at bigint',
    `alter table keys add column last_used_from ${text}`,
    'alter table accounts add column disabled_at bigint',
    // own_name: what a phone calls itself, while an operator has given it another name; forgotten: in no list
    `alter table devices add column own_name ${text}`,
    `alter table devices add column maintenance_note ${text}`,
    'alter table devices add column forgotten integer not null default 0',
    // made_id: of a key or an account
    `alter table idempotency_keys add column made_id ${text}`,
    // Each carries what its lists filter and count by
    'create index sessions_by_creation on sessions (created_at, id, status, ended_at)',
    'create index sessions_of_device on sessions (device_id, created_at, id, status)',
    // offered: the sum over the sampled minutes of the phones offered; minute: the last one (Unix minutes)
    `create table fleet_hours (
      hour bigint primary key,
      minute bigint not null,
      sampled integer not null,
      offered bigint not null
    )`,
    // No foreign keys: an entry outlives whatever it is about, and nothing waits for it
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
