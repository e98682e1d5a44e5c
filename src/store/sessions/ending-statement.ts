import type { EndReason } from '../../contract/http/session.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { recordSessionChange, recordSessionChanges } from '../audit/audited.ts';
import { FREE_DEVICE_STATUS } from '../devices/free-device-status.ts';
import { type Dialect, type Engine, type Sql, sql } from '../engine/engine.ts';
import type { Timestamp } from '../entities.ts';
import type { ChangedSession, TimedSession } from '../rows.ts';

/** A session that is to end. */
export interface DueSession {
  sessionId: string;
  reason: EndReason;
  detail: string | null;
  /** The time at which use ended, when that was before the end of the session. */
  usedUntil?: Timestamp;
  /** When given, a session of another account, epoch or host is left unchanged. */
  accountId?: string;
  epoch?: number;
  hostId?: string;
}

/**
 * The end of one session as one statement, in the most common case: the device stays busy until its host reports it
 * clean, and the session was not extended in the next month. Otherwise it changes nothing and returns no row, and
 * `endingStatement` decides. It has far fewer plan nodes, the number of which determines most of the cost of such a
 * statement. Both cases are decided on rows that this statement has locked. The row of usage is older than the session,
 * so an update sees it. PostgreSQL evaluates the check of that row on the version that the statement has read, before it
 * evaluates the newest one again. If an extension has reserved the minutes in the meantime, that version may contain fewer
 * than are refunded, so they are bounded by 0. `released` comes before `refunded` because rows are locked in the order
 * devices, sessions, accounts, usage.
 * The condition `ended_at is null` means that the session is live. With a condition on the status, the planner can choose
 * the partial index on expiry while it believes that few sessions are live, and then reads every live session.
 */
export function commonEndingStatement(
  { currentTime }: Dialect,
  due: DueSession,
  audit?: AuditEvent,
): Sql<ChangedSession> {
  const { sessionId, accountId, epoch, hostId } = due;
  const isMeant = sql`
    s.id = ${sessionId} and s.ended_at is null
    ${accountId === undefined ? sql`` : sql`and s.account_id = ${accountId}`}
    ${epoch === undefined ? sql`` : sql`and s.epoch = ${epoch}`}
    ${hostId === undefined ? sql`` : sql`and s.host_id = ${hostId}`}`;
  return sql`
    with device as materialized (
      select locked.id, ${currentTime()} as now from (
        select id from devices
        where id = (select s.device_id from sessions s where ${isMeant}) and status = ${FREE_DEVICE_STATUS}
        for no key update) locked),
    ended as (
      update sessions s set status = 'disconnected', ended_at = device.now, end_reason = ${due.reason},
        end_detail = ${due.detail}, minutes_charged = ${minutesCharged(due.usedUntil ?? sql`device.now`)}
      from device
      where ${isMeant} and s.device_id = device.id and s.minutes_next_month = 0
        ${due.reason === 'expired' ? sql`and s.expires_at <= device.now` : sql``}
      returning s.id, s.device_id, s.account_id, s.month, s.minutes_reserved - s.minutes_charged as unused,
        s.ended_at as now, row_to_json(s) as row),
    released as (
      update accounts set live_sessions = live_sessions - 1 where id = (select account_id from ended) returning id),
    refunded as (
      update usage set minutes = greatest(0, usage.minutes - ended.unused) from ended
      where usage.account_id = (select id from released) and usage.month = ended.month and ended.unused > 0)
    ${audit ? sql`, recorded as (${recordSessionChange(audit, sql`ended`)})` : sql``}
    select row from ended`;
}

/** A request to end one session, with the audit event of the request. */
export interface SessionEnd {
  engine: Engine;
  due: DueSession;
  audit?: AuditEvent | undefined;
}

/** Whether a batch can contain the end: only its session and account decide. */
export const isCommonEnd = ({ accountId, epoch, hostId, usedUntil, reason }: DueSession): boolean =>
  accountId !== undefined &&
  epoch === undefined &&
  hostId === undefined &&
  usedUntil === undefined &&
  reason !== 'expired';

/**
 * Ends several sessions with one statement, each in the case of `commonEndingStatement`, and returns the rows of those
 * that it ended. Like `connectBatchStatement`, it does not wait for locked rows. No session may occur twice.
 */
export function endBatchStatement(
  { currentTime, forUpdateSkipLocked }: Dialect,
  ends: SessionEnd[],
): Sql<ChangedSession> {
  const column = (of: (due: DueSession) => string | null) =>
    sql`cast(${ends.map(({ due }) => of(due))} as text[])`;
  const changes = ends.map(({ due, audit }) => ({ sessionId: due.sessionId, audit }));
  return sql`
    with held as materialized (
      select s.id, due.reason, due.detail, ${currentTime()} as now
      from (
          select * from unnest(
              ${column(({ sessionId }) => sessionId)}, ${column(({ accountId }) => accountId ?? null)},
              ${column(({ reason }) => reason)}, ${column(({ detail }) => detail)}
            ) as due(session_id, account_id, reason, detail)
          limit ${ends.length}
        ) due,
        lateral (
          select id, device_id from sessions
          where id = due.session_id and account_id = due.account_id and ended_at is null and minutes_next_month = 0
          ${forUpdateSkipLocked}) s,
        lateral (
          select id from devices where id = s.device_id and status = ${FREE_DEVICE_STATUS} ${forUpdateSkipLocked}) d,
        lateral (select id from accounts where id = due.account_id ${forUpdateSkipLocked}) a),
    ended as (
      update sessions s set status = 'disconnected', ended_at = held.now, end_reason = held.reason,
        end_detail = held.detail, minutes_charged = ${minutesCharged(sql`held.now`)}
      from held where s.id = held.id
      returning s.id, s.device_id, s.account_id, s.month, s.minutes_reserved - s.minutes_charged as unused,
        held.now, row_to_json(s) as row),
    released as (
      update accounts set live_sessions = live_sessions -
        (select count(*) from ended where account_id = accounts.id)
      where id in (select account_id from ended)),
    refunded as (
      update usage set minutes = greatest(0, usage.minutes - refund.minutes)
      from (select account_id, month, sum(unused) as minutes from ended group by account_id, month) refund
      where usage.account_id = refund.account_id and usage.month = refund.month and refund.minutes > 0)
    ${recordSessionChanges(changes, sql`ended`)}
    select row from ended`;
}

/** SQL version of `minutesCharged` in domain/settlement.ts, for a row of sessions. */
const minutesCharged = (usedUntil: Sql<unknown> | Timestamp) => sql`
  case when connected_at is null then 0
    else least(minutes_reserved, greatest(1, ceil((${usedUntil} - connected_at) / 60000.0))) end`;

/**
 * The end of any sessions as one statement, with the SQL version of settle() in domain/settlement.ts. Rows are locked in the order
 * that every transaction keeps: devices, sessions, accounts, usage, counts. After waiting for a lock, an update
 * evaluates the newest version of the row, so it does not change a session that another transaction ended in the
 * meantime. The refund is an upsert for the same reason: an update cannot see a row of usage that an extension inserted
 * after this statement began, while `on conflict` can. The row always exists, because the minutes were reserved in it.
 * `now` null: use the store's clock. A given time can precede the session, which was created while the transaction waited.
 * Most devices stay busy until their host reports them clean. Their rows are not updated, because each update writes
 * to every index with the status. The decision is made on the row that `device` has locked, which is the newest
 * version: the condition of an update is first evaluated on an older version, and would skip a row that another
 * transaction has changed in the meantime.
 */
export function endingStatement(
  { currentTime }: Dialect,
  due: DueSession[],
  now: Timestamp | null,
  audit?: AuditEvent,
): Sql<TimedSession> {
  return sql`
    with clock as materialized (
      select coalesce(cast(${now} as bigint), ${currentTime()}) as now),
    due as materialized (${dueRows(due)}),
    device as materialized (
      select d.id, d.status as old_status, ${FREE_DEVICE_STATUS} as new_status from devices d
      where d.id in (select device_id from sessions where id in (select "sessionId" from due))
      order by d.id for no key update),
    ended as (
      update sessions s set status = 'disconnected', ended_at = greatest(clock.now, created_at, connected_at),
        end_reason = due.reason, end_detail = due.detail,
        minutes_charged = ${minutesCharged(sql`coalesce(due."usedUntil", clock.now)`)}
      from due, device, clock
      where s.id = due."sessionId" and s.device_id = device.id and s.ended_at is null
        and (due."accountId" is null or s.account_id = due."accountId")
        and (due.epoch is null or s.epoch = due.epoch)
        and (due."hostId" is null or s.host_id = due."hostId")
        and (due.reason <> 'expired' or s.expires_at <= clock.now)
      returning s.*, clock.now),
    account as materialized (
      select a.id from accounts a where a.id in (select account_id from ended)
      order by a.id for no key update),
    released as (
      update accounts a set live_sessions = live_sessions - gone.n
      from (select account_id, count(*) as n from ended group by account_id) gone, account
      where a.id = gone.account_id and a.id = account.id),
    refund as (
      select account_id, to_char(to_date(month, 'YYYY-MM') + interval '1 month', 'YYYY-MM') as month,
        least(minutes_reserved - minutes_charged, minutes_next_month) as minutes from ended
      union all
      select account_id, month, minutes_reserved - minutes_charged
        - least(minutes_reserved - minutes_charged, minutes_next_month) from ended),
    month_refund as materialized (
      select account_id, month, sum(minutes) as minutes from refund group by account_id, month),
    refunded as (
      insert into usage (account_id, month, minutes)
      select account_id, month, 0 from month_refund, account where account.id = account_id and minutes > 0
      on conflict (account_id, month) do update set minutes = usage.minutes - (
        select r.minutes from month_refund r where r.account_id = usage.account_id and r.month = usage.month)),
    freed as (
      update devices set status = device.new_status from device
      where devices.id = device.id and device.new_status <> device.old_status
        and devices.id in (select device_id from ended))
    ${audit ? sql`, recorded as (${recordSessionChange(audit, sql`ended`)})` : sql``}
    select * from ended`;
}

/**
 * A single session is written out as literals, because the planner estimates a hundred rows for a set-returning
 * function and then uses a sequential scan.
 */
function dueRows(due: DueSession[]): Sql<unknown> {
  const [one] = due;
  if (!one || due.length > 1) {
    return sql`
      select * from jsonb_to_recordset(cast(${JSON.stringify(due)} as jsonb)) as due("sessionId" text, reason text,
        detail text, "usedUntil" bigint, "accountId" text, epoch bigint, "hostId" text)`;
  }
  return sql`
    select cast(${one.sessionId} as text) as "sessionId", cast(${one.reason} as text) as reason,
      cast(${one.detail} as text) as detail, cast(${one.usedUntil ?? null} as bigint) as "usedUntil",
      cast(${one.accountId ?? null} as text) as "accountId", cast(${one.epoch ?? null} as bigint) as epoch,
      cast(${one.hostId ?? null} as text) as "hostId"`;
}
