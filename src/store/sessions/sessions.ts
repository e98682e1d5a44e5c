import type { Page } from '../../contract/http/page.ts';
import { extendRefusal } from '../../domain/extend.ts';
import { monthOf } from '../../domain/month.ts';
import { usedMinutes } from '../accounts/accounts.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { type BatchedStatement, firstOfEach } from '../engine/batches.ts';
import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow, Timestamp } from '../entities.ts';
import { sessionRow, type TimedSession } from '../rows.ts';
import { endSessions } from './ending.ts';
import {
  commonEndingStatement,
  endBatchStatement,
  endingStatement,
  isCommonEnd,
  type SessionEnd,
} from './ending-statement.ts';
import type {
  EndCommand,
  EndOutcome,
  ExtendCommand,
  ExtendOutcome,
  ListSessionsQuery,
} from './session-store.ts';

export async function getSession(
  engine: Engine,
  sessionId: string,
  accountId?: string,
): Promise<SessionRow | null> {
  const [session] = await getSessions(engine, [sessionId]);
  return session && (accountId === undefined || session.accountId === accountId) ? session : null;
}

export async function getSessions(engine: Engine, sessionIds: string[]): Promise<SessionRow[]> {
  const { currentTime, isOneOf } = engine.dialect;
  const rows = await engine.run(
    sql<TimedSession>`
      select s.*, ${currentTime()} as now from sessions s
      where id ${isOneOf(sessionIds)}`,
  );
  return rows.map((row) => sessionRow(row, row.now));
}

export async function listSessions(engine: Engine, query: ListSessionsQuery): Promise<Page<SessionRow>> {
  let matching = sql`account_id = ${query.accountId}`;
  if (query.status === 'live') matching = sql`${matching} and status <> 'disconnected'`;
  else if (query.status !== undefined) matching = sql`${matching} and status = ${query.status}`;
  if (query.deviceId !== undefined) matching = sql`${matching} and device_id = ${query.deviceId}`;
  return engine.transact(function* (now): Transaction<Page<SessionRow>> {
    const count = yield* first(
      sql<{ total: number }>`select count(*) as total from sessions where ${matching}`,
    );
    // The page is found in the index alone, however high its number; only the rows of the page are read
    const rows = yield* all(
      sql<Tables['sessions']>`
        select s.* from sessions s join (
          select id from sessions where ${matching}
          order by created_at desc, id desc
          ${pageOf(query)}
        ) page on page.id = s.id
        order by s.created_at desc, s.id desc`,
    );
    return pageWith(
      query,
      count!.total,
      rows.map((row) => sessionRow(row, now)),
    );
  });
}

export async function end(engine: Engine, command: EndCommand, audit?: AuditEvent): Promise<EndOutcome> {
  const due = { ...command, detail: command.detail ?? null };
  let session: SessionRow | undefined;
  if (engine.dialect.supportsWritingCtes) {
    const ended = await endAtOnce({ engine, due, audit });
    if (ended) session = sessionRow(ended, ended.ended_at!);
    if (audit && session) audit.isRecorded = true;
  } else {
    session = await audited(engine, audit, function* (now, record): Transaction<SessionRow | undefined> {
      const [ended] = yield* endSessions(engine.dialect, [due], now);
      if (ended) yield* record({ kind: 'session', id: ended.id }, { kind: 'device', id: ended.deviceId });
      return ended;
    });
  }
  if (session) return { session, ended: true };
  const before = await getSession(engine, command.sessionId, command.accountId);
  if (!before || (command.epoch !== undefined && command.epoch !== before.epoch)) return null;
  if (command.hostId !== undefined && command.hostId !== before.hostId) return null;
  return { session: before, ended: false };
}

/** Returns the row of the session, or null if the session had ended or is not the one that is meant. */
function endAtOnce(end: SessionEnd): Promise<Tables['sessions'] | null> {
  const batches = isCommonEnd(end.due) ? end.engine.batches : null;
  return batches ? batches.run(END, end.due.accountId!, end) : END.one(end);
}

const END: BatchedStatement<SessionEnd, Tables['sessions'] | null> = {
  async one({ engine, due, audit }) {
    const [common] = await engine.run(commonEndingStatement(engine.dialect, due, audit));
    const [other] = common ? [] : await engine.run(endingStatement(engine.dialect, [due], null, audit));
    return common?.row ?? other ?? null;
  },
  async many(ends) {
    const { engine } = ends[0]!;
    const distinct = firstOfEach(ends, ({ due }) => due.sessionId);
    const rows = await engine.run(endBatchStatement(engine.dialect, distinct));
    const ended = new Map(rows.map(({ row }) => [row.id, row]));
    // A repeated disconnect finds that the session has ended.
    return ends.map((end) => (distinct.includes(end) ? ended.get(end.due.sessionId) : undefined));
  },
};

export async function extend(
  engine: Engine,
  command: ExtendCommand,
  audit?: AuditEvent,
): Promise<ExtendOutcome> {
  const { forUpdate } = engine.dialect;
  return audited(engine, audit, function* (now, record): Transaction<ExtendOutcome> {
    yield* all(
      sql`select id from devices where id = (select device_id from sessions where id = ${command.sessionId})
        ${forUpdate}`,
    );
    const session = yield* first(
      sql<Tables['sessions']>`select * from sessions where id = ${command.sessionId} ${forUpdate}`,
    );
    if (!session || (command.accountId ?? session.account_id) !== session.account_id) return null;
    const quota = yield* lockQuota(engine, session.account_id, now);
    const facts = {
      live: session.status !== 'disconnected',
      expiresAt: session.expires_at,
      minutesReserved: session.minutes_reserved,
    };
    const refusal = extendRefusal(facts, quota!, { ...command, now });
    if (refusal) return { ok: false, refusal };
    yield* reserve(session.account_id, quota!.month, command.minutes);
    const later = quota!.month === session.month ? 0 : command.minutes;
    const extended = yield* first(
      sql<Tables['sessions']>`
        update sessions set expires_at = expires_at + ${command.minutes * 60_000},
          minutes_reserved = minutes_reserved + ${command.minutes},
          minutes_next_month = minutes_next_month + ${later}
        where id = ${session.id} returning *`,
    );
    yield* record({ kind: 'session', id: session.id }, { kind: 'device', id: session.device_id });
    return { ok: true, session: sessionRow(extended!, now) };
  });
}

/** Reads the limits and usage of an account, and locks the account until the end of the transaction. */
export function* lockQuota(engine: Engine, accountId: string, now: Timestamp) {
  const account = yield* first(
    sql<Tables['accounts']>`select * from accounts where id = ${accountId} ${engine.dialect.forUpdate}`,
  );
  if (!account) return undefined;
  const month = monthOf(now);
  return {
    quotaMinutes: account.quota_minutes,
    maxSessions: account.max_sessions,
    month,
    usedMinutes: yield* usedMinutes(accountId, month),
    liveSessions: account.live_sessions,
    recordSessions: account.record_sessions === 1,
  };
}

export function* reserve(accountId: string, month: string, minutes: number): Transaction<void> {
  yield* all(
    sql`insert into usage (account_id, month, minutes) values (${accountId}, ${month}, ${minutes})
      on conflict (account_id, month) do update set minutes = usage.minutes + excluded.minutes`,
  );
}
