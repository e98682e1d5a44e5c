import { settle } from '../../domain/settlement.ts';
import { FREE_DEVICE_STATUS } from '../devices/free-device-status.ts';
import { all, type Dialect, first, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow, Timestamp } from '../entities.ts';
import { sessionRow } from '../rows.ts';
import { type DueSession, endingStatement } from './ending-statement.ts';

/**
 * Ends those of the sessions that are live, settles their quota and releases their devices. This is the only place
 * where sessions end. A session does not end as `expired` while its expiry is in the future, because it was extended.
 * Returns the rows of the sessions that it ended.
 */
export function* endSessions(dialect: Dialect, due: DueSession[], now: Timestamp): Transaction<SessionRow[]> {
  if (due.length === 0) return [];
  if (dialect.supportsWritingCtes) {
    const rows = yield* all(endingStatement(dialect, due, now));
    return rows.map((row) => sessionRow(row, now));
  }
  const ended: SessionRow[] = [];
  for (const one of due) {
    const row = yield* endSession(one, now);
    if (row) ended.push(sessionRow(row, now));
  }
  return ended;
}

function* endSession(due: DueSession, now: Timestamp): Transaction<Tables['sessions'] | undefined> {
  const session = yield* first(
    sql<Tables['sessions']>`select * from sessions where id = ${due.sessionId} and status <> 'disconnected'`,
  );
  if (!session) return undefined;
  if (due.accountId !== undefined && due.accountId !== session.account_id) return undefined;
  if (due.epoch !== undefined && due.epoch !== session.epoch) return undefined;
  if (due.hostId !== undefined && due.hostId !== session.host_id) return undefined;
  if (due.reason === 'expired' && session.expires_at > now) return undefined;
  const { minutesCharged, refunds } = settle({
    month: session.month,
    minutesReserved: session.minutes_reserved,
    minutesNextMonth: session.minutes_next_month,
    connectedAt: session.connected_at,
    usedUntil: due.usedUntil ?? now,
  });
  for (const { month, minutes } of refunds) {
    yield* all(
      sql`update usage set minutes = minutes - ${minutes}
        where account_id = ${session.account_id} and month = ${month}`,
    );
  }
  yield* all(sql`update accounts set live_sessions = live_sessions - 1 where id = ${session.account_id}`);
  yield* all(
    sql`update devices set status = ${FREE_DEVICE_STATUS}
      where id = ${session.device_id} and status <> ${FREE_DEVICE_STATUS}`,
  );
  return yield* first(
    sql<Tables['sessions']>`
      update sessions set status = 'disconnected', ended_at = ${now}, end_reason = ${due.reason},
        end_detail = ${due.detail}, minutes_charged = ${minutesCharged}
      where id = ${session.id} returning *`,
  );
}

/** Ends those of the sessions that are live, because an operator withdrew what they depend on. */
export function* endByOperator(
  dialect: Dialect,
  sessions: { id: string }[],
  detail: string,
  now: Timestamp,
): Transaction<SessionRow[]> {
  const due = sessions.map(({ id }) => ({ sessionId: id, reason: 'admin' as const, detail }));
  return yield* endSessions(dialect, due, now);
}
