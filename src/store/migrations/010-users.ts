import type { Migration } from './migration.ts';

/**
 * Users who sign in at an identity provider. ticket_hash: SHA-256 (hex) of a ticket that is exchanged for a key,
 * valid until ticket_until. keys.user_id: the owner (null: the key belongs to the account only). keys.signed_in: the
 * key was created by a sign-in.
 */
export const users: Migration = {
  id: 10,
  name: 'users',
  minimumCompatibleSchema: 3,
  statements: ({ text }) => [
    `create table users (
      id ${text} primary key,
      issuer ${text} not null,
      subject ${text} not null,
      account_id ${text} not null references accounts (id),
      name ${text} not null,
      email ${text},
      role ${text} not null check (role in ('viewer', 'user', 'admin')),
      created_at bigint not null,
      last_sign_in_at bigint,
      disabled_at bigint,
      ticket_hash ${text},
      ticket_until bigint,
      unique (issuer, subject),
      check ((ticket_hash is null) = (ticket_until is null))
    )`,
    'create index users_by_name on users (name, id)',
    'create index users_of_account on users (account_id, name, id)',
    'create unique index users_by_ticket on users (ticket_hash) where ticket_hash is not null',
    `alter table keys add column user_id ${text} references users (id)`,
    'alter table keys add column signed_in integer not null default 0',
    'create index keys_of_user on keys (user_id) where user_id is not null',
  ],
};
