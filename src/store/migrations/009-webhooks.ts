import type { Migration } from './migration.ts';

/**
 * Webhooks and their deliveries. due_at of a webhook: when a process may claim it next, which is when its first
 * delivery is due or, while a process (holder) has claimed it, when the lease of that claim expires; null: nothing is
 * pending. due_at of a delivery: when it may be attempted. claim: the claim under which it is being attempted.
 * missed: events exceeded the limit of pending deliveries. cursor: the position in the event log up to which
 * deliveries have been created; null: no webhook listens.
 */
export const webhooks: Migration = {
  id: 9,
  name: 'webhooks',
  minimumCompatibleSchema: 3,
  statements: ({ text, bytes, hotTable }) => [
    `create table webhooks (
      id ${text} primary key,
      account_id ${text} not null references accounts (id) on delete cascade,
      url ${text} not null,
      events ${text} not null,
      description ${text},
      secret ${bytes} not null,
      previous_secret ${bytes},
      previous_until bigint,
      active integer not null default 1,
      inactive_cause ${text} check (inactive_cause in ('account', 'receiver', 'operator')),
      inactive_reason ${text},
      failing_since bigint,
      missed integer not null default 0,
      due_at bigint,
      holder ${text},
      created_at bigint not null,
      check ((active = 0) = (inactive_cause is not null))
    ) ${hotTable}`,
    'create index webhooks_of_account on webhooks (account_id, created_at, id)',
    'create index webhooks_by_creation on webhooks (created_at, id)',
    'create index webhooks_due on webhooks (due_at) where active = 1 and due_at is not null',
    `create table webhook_deliveries (
      id ${text} primary key,
      webhook_id ${text} not null references webhooks (id) on delete cascade,
      place bigint not null,
      event ${text} not null,
      data ${text} not null,
      state ${text} not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
      attempts integer not null default 0,
      created_at bigint not null,
      due_at bigint,
      claim ${text},
      last_attempt_at bigint,
      last_status integer,
      last_error ${text},
      delivered_at bigint,
      check ((state = 'pending') = (due_at is not null)),
      check ((state = 'delivered') = (delivered_at is not null))
    )`,
    // place: the order of creation, for deliveries that were created in the same millisecond
    'create index deliveries_of_webhook on webhook_deliveries (webhook_id, created_at, place, id, state)',
    `create index deliveries_pending on webhook_deliveries (webhook_id, due_at, place) where state = 'pending'`,
    'create index deliveries_by_age on webhook_deliveries (created_at)',
    `create table webhook_fan_out (id integer primary key check (id = 1), cursor ${text}) ${hotTable}`,
    'insert into webhook_fan_out (id, cursor) values (1, null)',
  ],
};
