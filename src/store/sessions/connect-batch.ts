import type { AuditEvent } from '../audit/audit-store.ts';
import { recordSessionChanges } from '../audit/audited.ts';
import { visibleTo } from '../devices/visibility.ts';
import { type Dialect, type Engine, type Sql, sql } from '../engine/engine.ts';
import type { ConnectCommand } from '../entities.ts';
import { type ChangedSession, flagOf, recordFlag } from '../rows.ts';
import { insertSession } from './insert-session.ts';

/** A request to connect one device, with the audit event of the request. */
export interface ConnectRequest {
  engine: Engine;
  command: ConnectCommand;
  audit?: AuditEvent | undefined;
}

/** Whether a batch can contain the request: the request has no app and no idempotency key. */
export const isCommonConnect = ({ appId, idempotency }: ConnectCommand): boolean =>
  appId === null && idempotency === null;

/**
 * Connects several devices with one statement, with the conditions of connectRefusal() in domain/connect.ts, and returns
 * the rows of those sessions that it created. It does not wait for rows that other transactions have locked, so that a
 * request whose rows are locked does not delay the others; such a request changes nothing, like one that is refused.
 * No device may occur twice. Limits of an account count all of its requests in the batch, even those that are refused.
 * Each subquery finds one row by its primary key and locks it. `limit` has no effect except that the planner expects one
 * request: from a list of unknown length it expects ten, for which it reads a whole table of some thousand rows. That
 * plan is kept while the table grows.
 */
export function connectBatchStatement(
  { currentTime, forReference, forUpdateSkipLocked }: Dialect,
  requests: ConnectRequest[],
): Sql<ChangedSession> {
  const column = <T>(of: (command: ConnectCommand) => T) => requests.map(({ command }) => of(command));
  const places = new Map<string, number>();
  const placeInAccount = column(({ accountId }) => {
    const place = (places.get(accountId) ?? 0) + 1;
    places.set(accountId, place);
    return place;
  });
  const changes = requests.map(({ command, audit }) => ({ sessionId: command.sessionId, audit }));
  return sql`
    with granted as materialized (
      select asked.*, k.user_id, k.name as key_name, d.host_id, d.epoch, d.name as device_name,
        d.model as device_model, a.quota_minutes, a.record_sessions, ${currentTime()} as now
      from (
          select * from unnest(
              cast(${column(({ sessionId }) => sessionId)} as text[]),
              cast(${column(({ deviceId }) => deviceId)} as text[]),
              cast(${column(({ accountId }) => accountId)} as text[]),
              cast(${column(({ keyId }) => keyId)} as text[]),
              cast(${column(({ minutes }) => minutes)} as bigint[]),
              cast(${column(({ record }) => recordFlag(record))} as integer[]),
              cast(${column(({ recordText }) => flagOf(recordText))} as integer[]),
              cast(${placeInAccount} as bigint[])
            ) as asked(session_id, device_id, account_id, key_id, minutes, record, record_text, place)
          limit ${requests.length}
        ) asked,
        lateral (
          select user_id, name from keys where id = asked.key_id and revoked_at is null ${forReference} skip locked) k,
        lateral (
          select host_id, epoch, name, model from devices
          where id = asked.device_id and status = 'available' and ${visibleTo(sql`asked.account_id`)}
          ${forUpdateSkipLocked}) d,
        lateral (
          select quota_minutes, record_sessions from accounts
          where id = asked.account_id and disabled_at is null
            and (max_sessions is null or live_sessions + asked.place <= max_sessions)
          ${forUpdateSkipLocked}) a),
    needed as materialized (
      select account_id, to_char(to_timestamp(max(now) / 1000.0) at time zone 'UTC', 'YYYY-MM') as month,
        sum(minutes) as minutes, max(quota_minutes) as quota_minutes, count(*) as sessions
      from granted group by account_id),
    reserved as (
      insert into usage (account_id, month, minutes)
      select account_id, month, minutes from needed where quota_minutes is null or quota_minutes >= minutes
      order by account_id
      on conflict (account_id, month) do update set minutes = usage.minutes + excluded.minutes
      where (select quota_minutes is null or usage.minutes + excluded.minutes <= quota_minutes from needed
        where needed.account_id = excluded.account_id)
      returning account_id, month),
    session as (
      ${insertSession({ id: sql`session_id`, minutes: sql`minutes`, appId: null, record: sql`record`, recordText: sql`record_text` })}
      from granted join reserved using (account_id)
      returning id, device_id, created_at as now, row_to_json(sessions) as row),
    taken as (
      update devices set epoch = epoch + 1, status = 'busy' where id in (select device_id from session)),
    counted as (
      update accounts set live_sessions = live_sessions +
        (select sessions from needed where account_id = accounts.id)
      where id in (select account_id from reserved))
    ${recordSessionChanges(changes, sql`session`)}
    select row from session`;
}
