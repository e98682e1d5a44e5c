import { minutesShortfall, sessionsShortfall, waitingShortfall } from '../../domain/quota.ts';
import type { BorrowRefusal } from '../../domain/refusals.ts';
import { keyIsValid, lockKey } from '../accounts/grants.ts';
import type { AuditEvent, AuditTarget } from '../audit/audit-store.ts';
import { audited, type RecordChange, recordChange } from '../audit/audited.ts';
import { visibleTo } from '../devices/visibility.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { deleteSessionRequest } from '../engine/idempotency.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow, Timestamp } from '../entities.ts';
import { allocate, lockApp, replay } from '../sessions/connect.ts';
import { endSessions } from '../sessions/ending.ts';
import { lockQuota } from '../sessions/sessions.ts';
import type {
  BorrowCommand,
  Borrowed,
  BorrowOutcome,
  PhoneFilter,
  PhoneQueue,
  Refused,
  Turn,
} from './phone-queue.ts';
import { allMatching, liveWaiters, phonesInTurn } from './queue-match.ts';
import { standings } from './queue-standing.ts';

/**
 * Time after which a process that sent no heartbeat counts as stopped. A running process sends one every 1.5 seconds.
 */
const ALIVE_MS = 5_000;
/**
 * How long the queue places of a stopped process are kept. A process that pauses for less finds its waiters
 * unchanged.
 */
const FORGOTTEN_MS = 60_000;

type BorrowRequest = Omit<BorrowCommand, 'wait'>;
type AuditOf = (sessionId: string) => AuditEvent | undefined;
type Waiters = { processId: string; filter: PhoneFilter };

export function phoneQueue(engine: Engine): PhoneQueue {
  return {
    borrow: (command, audit) => audited(engine, audit, (now, record) => borrow(engine, command, now, record)),
    nextTurn: (waiters, auditOf) => nextTurn(engine, waiters, auditOf ?? (() => undefined)),
    queueStandings: (filter, accountIds) =>
      engine.transact((now) => standings(engine, filter, accountIds, now)),
    keepWaiting: (processId) => engine.transact((now) => keepWaiting(processId, now)),
    cancelBorrow: (request) => engine.transact((now) => cancelBorrow(engine, request, now)),
    leaveQueue: (processId) => engine.transact((now) => leaveQueue(processId, now)),
  };
}

function* borrow(
  engine: Engine,
  command: BorrowCommand,
  now: Timestamp,
  record: RecordChange,
): Transaction<BorrowOutcome> {
  const before = yield* answeredBefore(command, now);
  if (before) return before;
  const matching = yield* first(
    sql`select 1 as yes from ${allMatching(command.filter)} and ${visibleTo(command.accountId, sql`d.group_id`)} limit 1`,
  );
  if (!matching) return refused({ why: 'no-phone-matches' });
  const place = yield* resumablePlace(engine, command, now);
  const outcome = yield* allocateInTurn(engine, command, place, now);
  if (outcome?.state === 'borrowed') yield* record(...targetsOf(outcome));
  if (!outcome && command.wait) return yield* enqueue(command, command.wait, place, now);
  if (place !== null) yield* all(sql`delete from waiters where place = ${place}`);
  return outcome ?? refused({ why: 'none-free' });
}

/**
 * Finds the queue place of an identical request (same idempotency key and fingerprint) that waited in a process that
 * has since stopped. Returns null when there is none. If the original request still waits in a running process, it
 * keeps its place, and the repeat is answered with the same session.
 */
function* resumablePlace(
  { dialect }: Engine,
  { accountId, idempotency }: BorrowCommand,
  now: Timestamp,
): Transaction<number | null> {
  if (idempotency === null) return null;
  const waiter = yield* first(
    sql<{ place: number }>`
      select w.place from waiters w join waiter_processes p on p.id = w.process_id
      where w.account_id = ${accountId} and w.idempotency_key = ${idempotency.key}
        and w.fingerprint = ${idempotency.fingerprint} and p.alive_until <= ${now}
      order by w.place limit 1 ${dialect.forUpdate}`,
  );
  return waiter?.place ?? null;
}

/** Reads without locks first, because usually no waiter can be served. */
async function nextTurn(engine: Engine, waiters: Waiters, auditOf: AuditOf): Promise<Turn | null> {
  const { clock, clockOffsetMs } = engine.dialect;
  const asking = { filter: waiters.filter, accountId: sql`mine.account_id`, place: sql`mine.place` };
  const phones = phonesInTurn(asking, sql`${clock} + ${clockOffsetMs()}`);
  const [mine] = await engine.run(
    sql<{ place: number }>`
      select mine.place from (${firstOfEach(waiters)}) mine
      where exists (select 1 from devices d where ${phones}) order by mine.place limit 1`,
  );
  if (!mine) return null;
  const turn = await engine.transact((now) => serveWaiter(engine, mine.place, waiters, auditOf, now));
  const audit = turn && auditOf(turn.sessionId);
  if (audit && isNewSession(turn.outcome)) audit.isRecorded = true;
  return turn;
}

/**
 * The first waiter of each account. Later waiters of the account see the same devices, so that checking the first
 * suffices.
 */
const firstOfEach = ({ processId, filter }: Waiters): Sql<unknown> => sql`
  select account_id, min(place) as place from waiters
  where process_id = ${processId} and brand = ${filter.brand} and os_version = ${filter.osVersion}
    and model = ${filter.model}
  group by account_id`;

function* serveWaiter(
  engine: Engine,
  place: number,
  { processId, filter }: Waiters,
  auditOf: AuditOf,
  now: Timestamp,
): Transaction<Turn | null> {
  const waiter = yield* first(
    sql<Tables['waiters']>`
      select * from waiters where place = ${place} and process_id = ${processId} ${engine.dialect.forUpdate}`,
  );
  if (!waiter) return null;
  const request = requestOf(waiter, filter);
  const before = yield* answeredBefore(request, now);
  const outcome = before ?? (yield* allocateInTurn(engine, request, waiter.place, now));
  if (!outcome) return null;
  yield* all(sql`delete from waiters where place = ${waiter.place}`);
  const audit = auditOf(request.sessionId);
  if (audit && isNewSession(outcome)) yield* recordChange(audit, targetsOf(outcome), now);
  return { sessionId: request.sessionId, outcome };
}

function requestOf(waiter: Tables['waiters'], filter: PhoneFilter): BorrowRequest {
  const { idempotency_key: key, fingerprint } = waiter;
  return {
    sessionId: waiter.id,
    accountId: waiter.account_id,
    keyId: waiter.key_id,
    minutes: waiter.minutes,
    appId: waiter.app_id,
    idempotency: key === null || fingerprint === null ? null : { key, fingerprint },
    filter,
  };
}

function* answeredBefore(request: BorrowRequest, now: Timestamp): Transaction<Borrowed | Refused | null> {
  const before = yield* replay(request, now);
  if (!before) return null;
  return before.ok
    ? { ...borrowed(before.session), replayed: true }
    : refused({ why: 'idempotency-conflict' });
}

/**
 * Finds and locks the device before the account, in the lock order that every transaction keeps. A quota refusal is
 * returned whether or not a device is available. null: the account may connect, but no device is available.
 */
function* allocateInTurn(
  engine: Engine,
  request: BorrowRequest,
  place: number | null,
  now: Timestamp,
): Transaction<Borrowed | Refused | null> {
  yield* lockKey(engine, request);
  if (!(yield* lockApp(engine, request))) return refused({ why: 'app-not-found' });
  const phone = yield* first(
    sql<Tables['devices']>`
      select d.* from devices d where ${phonesInTurn({ ...request, place }, now)}
      order by d.id limit 1 ${engine.dialect.forUpdateSkipLocked}`,
  );
  const quota = yield* lockQuota(engine, request.accountId, now);
  if (!quota) throw new Error(`account ${request.accountId} does not exist`);
  if (!(yield* keyIsValid(request))) return refused({ why: 'key-invalid' });
  const shortfall = minutesShortfall(quota, request.minutes) ?? sessionsShortfall(quota);
  if (shortfall) return refused({ why: 'quota', shortfall });
  return phone ? borrowed(yield* allocate(request, phone, quota.month, now)) : null;
}

function* enqueue(
  request: BorrowRequest,
  { processId, ...limits }: NonNullable<BorrowCommand['wait']>,
  place: number | null,
  now: Timestamp,
): Transaction<BorrowOutcome> {
  const { filter, idempotency } = request;
  const count = yield* first(
    sql<{ n: number; own: number }>`
      select count(*) as n, count(*) filter (where w.account_id = ${request.accountId}) as own
      from ${liveWaiters(now)}`,
  );
  const shortfall = waitingShortfall(count!.own, limits.maxWaitingPerAccount);
  if (shortfall) return refused({ why: 'quota', shortfall });
  if (count!.n >= limits.maxWaiting) return refused({ why: 'queue-full', limit: limits.maxWaiting });
  yield* all(
    sql`insert into waiter_processes (id, alive_until) values (${processId}, ${now + ALIVE_MS})
      on conflict (id) do update set alive_until = excluded.alive_until`,
  );
  if (place !== null) {
    yield* all(
      sql`update waiters set id = ${request.sessionId}, process_id = ${processId}, key_id = ${request.keyId}
        where place = ${place}`,
    );
    return { state: 'waiting' };
  }
  yield* all(
    sql`insert into waiters (id, process_id, account_id, key_id, brand, os_version, model, minutes, app_id,
        idempotency_key, fingerprint, created_at)
      values (${request.sessionId}, ${processId}, ${request.accountId}, ${request.keyId}, ${filter.brand},
        ${filter.osVersion}, ${filter.model}, ${request.minutes}, ${request.appId},
        ${idempotency?.key ?? null}, ${idempotency?.fingerprint ?? null}, ${now})`,
  );
  return { state: 'waiting' };
}

function* keepWaiting(processId: string, now: Timestamp): Transaction<boolean> {
  const kept = yield* first(
    sql`update waiter_processes set alive_until = ${now + ALIVE_MS} where id = ${processId} returning id`,
  );
  yield* all(sql`delete from waiter_processes where alive_until < ${now - FORGOTTEN_MS}`);
  return kept !== undefined;
}

/**
 * Requests with an idempotency key keep their place for a minute, although they are skipped, so that a repeat can
 * resume it.
 */
function* leaveQueue(processId: string, now: Timestamp): Transaction<void> {
  yield* all(sql`delete from waiters where process_id = ${processId} and idempotency_key is null`);
  yield* all(sql`update waiter_processes set alive_until = ${now} where id = ${processId}`);
}

function* cancelBorrow(
  { dialect }: Engine,
  {
    sessionId,
    accountId,
    idempotencyKey,
  }: { sessionId: string; accountId: string; idempotencyKey: string | null },
  now: Timestamp,
): Transaction<SessionRow | null> {
  yield* all(sql`delete from waiters where id = ${sessionId}`);
  const detail = 'the client disconnected before it received the session';
  const [ended] = yield* endSessions(dialect, [{ sessionId, reason: 'client', detail }], now);
  if (idempotencyKey !== null) yield* deleteSessionRequest(accountId, idempotencyKey, sessionId);
  return ended ?? null;
}

const isNewSession = (outcome: Borrowed | Refused): outcome is Borrowed =>
  outcome.state === 'borrowed' && !outcome.replayed;

const targetsOf = ({ session }: Borrowed): AuditTarget[] => [
  { kind: 'session', id: session.id },
  { kind: 'device', id: session.deviceId },
];

const borrowed = (session: SessionRow): Borrowed => ({ state: 'borrowed', session, replayed: false });
const refused = (refusal: BorrowRefusal): Refused => ({ state: 'refused', refusal });
