import { isKeyValid } from '../accounts/grants.ts';
import { owned } from '../apps/apps.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { recordSessionChange } from '../audit/audited.ts';
import { visibleTo } from '../devices/visibility.ts';
import { type Dialect, type Sql, sql } from '../engine/engine.ts';
import { isFirstRequest, recordSessionRequest } from '../engine/idempotency.ts';
import type { Tables } from '../engine/tables.ts';
import type { ConnectCommand, Timestamp } from '../entities.ts';
import { type ChangedSession, flagOf, recordFlag } from '../rows.ts';
import { insertSession } from './insert-session.ts';

/**
 * All of connect as one statement, with the conditions of connectRefusal() in domain/connect.ts. It returns no row when
 * the request is refused, and has then changed nothing. Rows are locked in the order that every transaction keeps: key,
 * app, device, account, usage.
 * Each condition is on a row that this statement locks. When a lock had to wait, the conditions are therefore checked
 * again on the newest versions of the locked rows
 * (https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED). The first change is the guarded
 * update of usage, and all later changes depend on its row. Conflicts that no lock covers violate the unique indexes
 * on live sessions and idempotency keys, which makes the statement fail. The clock is read after the locks: the
 * previous session of the device may have ended while this statement waited.
 * Later parts read as few columns of the new session as possible, and find their row by a subquery instead of a join,
 * because PostgreSQL prepares each column of each plan node in each execution, and an update keeps a copy of the whole
 * row that it joins.
 */
export function connectStatement(
  dialect: Dialect,
  command: ConnectCommand,
  audit?: AuditEvent,
): Sql<ChangedSession> {
  const { minutes, appId, record, idempotency } = command;
  const recordedKey = idempotency
    ? sql`, recorded_key as (${recordSessionRequest(idempotency, sql`session`)})`
    : sql``;
  const recorded = audit ? sql`, recorded as (${recordSessionChange(audit, sql`session`)})` : sql``;
  return sql`
    with granted as materialized (
      select locked.*, ${dialect.currentTime()} as now
      from (${lockedRows(dialect, command)}) locked),
    reserved as (
      insert into usage (account_id, month, minutes)
      select account_id, to_char(to_timestamp(now / 1000.0) at time zone 'UTC', 'YYYY-MM'), ${minutes}
      from granted where quota_minutes is null or quota_minutes >= ${minutes}
      on conflict (account_id, month) do update set minutes = usage.minutes + excluded.minutes
      where (select quota_minutes is null or usage.minutes + excluded.minutes <= quota_minutes from granted)
      returning month),
    session as (
      ${insertSession({ id: command.sessionId, minutes: sql`cast(${minutes} as bigint)`, appId, record: recordFlag(record), recordText: flagOf(command.recordText) })}
      from granted, reserved
      returning id, device_id, account_id, created_at, created_at as now, row_to_json(sessions) as row),
    taken as (
      update devices set epoch = epoch + 1, status = 'busy' where id = (select device_id from session)),
    counted as (
      update accounts set live_sessions = live_sessions + 1 where id = (select account_id from session))
    ${recordedKey}
    ${recorded}
    select row from session`;
}

/** Locks the rows that decide the request, in the order of the locking clauses. One join costs less than one query each. */
function lockedRows({ forReference }: Dialect, command: ConnectCommand): Sql<unknown> {
  const { accountId, appId, idempotency } = command;
  const unanswered = idempotency ? sql`and ${isFirstRequest(accountId, idempotency)}` : sql``;
  // A shared lock lets many requests connect with the same app at once, and keeps the app from being deleted
  const [app, isKnown, sharesApp] =
    appId === null
      ? [sql``, sql``, sql``]
      : [sql`, apps`, sql`and ${owned(appId, accountId)}`, sql`for share of apps`];
  return sql`
    select k.id as key_id, k.user_id, k.name as key_name,
      d.id as device_id, d.host_id, d.epoch, d.name as device_name, d.model as device_model,
      a.id as account_id, a.quota_minutes, a.record_sessions
    from keys k, devices d, accounts a ${app}
    where k.id = ${command.keyId} and k.revoked_at is null ${isKnown}
      and d.id = ${command.deviceId} and d.status = 'available' and ${visibleTo(accountId, sql`d.group_id`)}
      and a.id = ${accountId} and a.disabled_at is null
      and (a.max_sessions is null or a.live_sessions < a.max_sessions) ${unanswered}
    ${forReference} of k ${sharesApp} for no key update of d for no key update of a`;
}

/** The values of the columns creator_id and creator_name of a session. The names do not follow later changes. */
export const creatorOf = (keyId: string): Sql<unknown> => sql`
  (select user_id from keys where id = ${keyId}),
  (select coalesce(users.name, keys.name) from keys left join users on users.id = keys.user_id
    where keys.id = ${keyId})`;

type Nullable<T> = { [K in keyof T]: T[K] | null };

/**
 * The facts that decide a connect request, read without locks, in one row. The device columns are null if the device
 * does not exist.
 */
export type RefusalFacts = (Tables['devices'] | (Nullable<Tables['devices']> & { id: null })) &
  Pick<Tables['accounts'], 'quota_minutes' | 'max_sessions' | 'live_sessions'> & {
    live: 0 | 1;
    app_known: 0 | 1;
    key_valid: 0 | 1;
    used_minutes: number;
    now: Timestamp;
  };

export function refusalFacts({ currentTime }: Dialect, command: ConnectCommand): Sql<RefusalFacts> {
  const { appId, accountId } = command;
  const known =
    appId === null
      ? sql`1`
      : sql`case when exists (select from apps where ${owned(appId, accountId)}) then 1 else 0 end`;
  return sql`
    with clock as materialized (select ${currentTime()} as now)
    select d.*, ${known} as app_known, ${isKeyValid(command.keyId, sql`a.disabled_at`)} as key_valid,
      case when s.id is null then 0 else 1 end as live, a.quota_minutes, a.max_sessions, a.live_sessions,
      coalesce(u.minutes, 0) as used_minutes, clock.now
    from clock cross join accounts a
    left join devices d on d.id = ${command.deviceId} and d.forgotten = 0 and ${visibleTo(accountId, sql`d.group_id`)}
    left join sessions s on s.device_id = d.id and s.status <> 'disconnected'
    left join usage u on u.account_id = a.id
      and u.month = to_char(to_timestamp(clock.now / 1000.0) at time zone 'UTC', 'YYYY-MM')
    where a.id = ${command.accountId}`;
}
