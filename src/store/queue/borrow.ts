import { minutesShortfall, sessionsShortfall } from '../../domain/quota.ts';
import type { BorrowRefusal } from '../../domain/refusals.ts';
import { keyIsValid, lockKey } from '../accounts/grants.ts';
import type { AuditEvent, AuditTarget } from '../audit/audit-store.ts';
import { audited, type RecordChange, recordChange } from '../audit/audited.ts';
import { visibleTo } from '../devices/visibility.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { deleteSessionRequest, isReplayed, markReplayed } from '../engine/idempotency.ts';
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
import { allMatching, phonesInTurn } from './queue-match.ts';
import { enqueue, resumablePlace } from './waiters.ts';

type BorrowRequest = Omit<BorrowCommand, 'wait'>;
type AuditOf = (sessionId: string) => AuditEvent | undefined;
type Waiters = { processId: string; filter: PhoneFilter };

export const borrow = (engine: Engine, command: BorrowCommand, audit?: AuditEvent): Promise<BorrowOutcome> =>
  audited(engine, audit, (now, record) => borrowNow(engine, command, now, record));

function* borrowNow(
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

/** Reads without locks first, because usually no waiter can be served. */
export async function nextTurn(
  engine: Engine,
  waiters: Waiters,
  auditOf: AuditOf = () => undefined,
): Promise<Turn | null> {
  const asking = { filter: waiters.filter, accountId: sql`mine.account_id`, place: sql`mine.place` };
  const phones = phonesInTurn(asking, engine.dialect.currentTime());
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
    record: waiter.record === null ? null : waiter.record === 1,
    recordText: waiter.record_text === 1,
    idempotency: key === null || fingerprint === null ? null : { key, fingerprint },
    filter,
  };
}

function* answeredBefore(request: BorrowRequest, now: Timestamp): Transaction<Borrowed | Refused | null> {
  yield* markReplayed(request.accountId, request.idempotency);
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
  return phone ? borrowed(yield* allocate(engine.dialect, request, phone, quota)) : null;
}

export const cancelBorrow = (
  engine: Engine,
  { sessionId, accountId, idempotencyKey: key }: Parameters<PhoneQueue['cancelBorrow']>[0],
): Promise<SessionRow | null> =>
  engine.transact(function* (now): Transaction<SessionRow | null> {
    yield* all(sql`delete from waiters where id = ${sessionId}`);
    if (key !== null && (yield* isReplayed(engine.dialect, { accountId, key, sessionId }))) return null;
    const detail = 'the client disconnected before it received the session';
    const [ended] = yield* endSessions(engine.dialect, [{ sessionId, reason: 'client', detail }], now);
    if (key !== null) yield* deleteSessionRequest(accountId, key, sessionId);
    return ended ?? null;
  });

const isNewSession = (outcome: Borrowed | Refused): outcome is Borrowed =>
  outcome.state === 'borrowed' && !outcome.replayed;

const targetsOf = ({ session }: Borrowed): AuditTarget[] => [
  { kind: 'session', id: session.id },
  { kind: 'device', id: session.deviceId },
];

const borrowed = (session: SessionRow): Borrowed => ({ state: 'borrowed', session, replayed: false });
const refused = (refusal: BorrowRefusal): Refused => ({ state: 'refused', refusal });
