import { connectRefusal } from '../../domain/connect.ts';
import { monthOf } from '../../domain/month.ts';
import type { ConnectRefusal } from '../../domain/refusals.ts';
import { keyIsValid, lockKey } from '../accounts/grants.ts';
import { owned } from '../apps/apps.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited, type RecordChange } from '../audit/audited.ts';
import { visibleTo } from '../devices/visibility.ts';
import { type BatchedStatement, firstOfEach } from '../engine/batches.ts';
import {
  all,
  ConflictError,
  type Dialect,
  type Engine,
  first,
  sql,
  type Transaction,
} from '../engine/engine.ts';
import { findRequest, recordIdempotencyKey } from '../engine/idempotency.ts';
import type { Tables } from '../engine/tables.ts';
import type { ConnectCommand, SessionRow, Timestamp } from '../entities.ts';
import { type ChangedSession, deviceFacts, flagOf, sessionRow } from '../rows.ts';
import { type ConnectRequest, connectBatchStatement, isCommonConnect } from './connect-batch.ts';
import { connectStatement, creatorOf, refusalFacts } from './connect-statement.ts';
import type { ConnectOutcome } from './session-store.ts';
import { lockQuota, reserve } from './sessions.ts';

/** A connect request without the choice of a device. */
type BorrowRequest = Omit<ConnectCommand, 'deviceId'>;

/**
 * Connects a device. The checks, the quota reservation, the session and the new epoch are one transaction. Where the
 * database supports it, a single statement does all of this. If that statement changes nothing, the reason is read
 * without locks, so that refused requests do not block others.
 */
export async function connect(
  engine: Engine,
  command: ConnectCommand,
  audit?: AuditEvent,
): Promise<ConnectOutcome> {
  if (engine.dialect.supportsWritingCtes) {
    const session = await connectAtOnce({ engine, command, audit });
    if (session) return { ok: true, session, replayed: false };
    const refusal = command.idempotency ? null : await explain(engine, command);
    if (refusal) return { ok: false, refusal };
  }
  return audited(engine, audit, (now, record) => connectTransaction(engine, command, now, record));
}

/** Why the command would be refused now; null when it would succeed. */
async function explain(engine: Engine, command: ConnectCommand): Promise<ConnectRefusal | null> {
  const [row] = await engine.run(refusalFacts(engine.dialect, command));
  if (!row) return null;
  if (row.key_valid === 0) return { why: 'key-invalid' };
  if (row.app_known === 0) return { why: 'app-not-found' };
  const quota = {
    quotaMinutes: row.quota_minutes,
    maxSessions: row.max_sessions,
    month: monthOf(row.now),
    usedMinutes: row.used_minutes,
    liveSessions: row.live_sessions,
  };
  return connectRefusal(row.id === null ? null : deviceFacts(row, row.live === 1), quota, command.minutes);
}

/** Returns null if the statement changes nothing. */
async function connectAtOnce(request: ConnectRequest): Promise<SessionRow | null> {
  const { engine, command, audit } = request;
  const batches = isCommonConnect(command) ? engine.batches : null;
  const changed = batches
    ? await batches.run(CONNECT, command.accountId, request)
    : await CONNECT.one(request);
  if (audit && changed) audit.isRecorded = true;
  return changed && sessionRow(changed.row, changed.row.created_at);
}

const CONNECT: BatchedStatement<ConnectRequest, ChangedSession | null> = {
  async one({ engine, command, audit }) {
    try {
      const [changed] = await engine.run(connectStatement(engine.dialect, command, audit));
      return changed ?? null;
    } catch (error) {
      if (error instanceof ConflictError) return null;
      throw error;
    }
  },
  async many(requests) {
    const { engine } = requests[0]!;
    const distinct = firstOfEach(requests, ({ command }) => command.deviceId);
    const rows = await engine.run(connectBatchStatement(engine.dialect, distinct));
    const changed = new Map(rows.map((each) => [each.row.id, each]));
    return requests.map(({ command }) => changed.get(command.sessionId));
  },
};

function* connectTransaction(
  engine: Engine,
  command: ConnectCommand,
  now: Timestamp,
  record: RecordChange,
): Transaction<ConnectOutcome> {
  const before = yield* replay(command, now);
  if (before) return before;
  yield* lockKey(engine, command);
  if (!(yield* lockApp(engine, command))) return { ok: false, refusal: { why: 'app-not-found' } };
  const device = yield* first(
    sql<Tables['devices']>`select * from devices
      where id = ${command.deviceId} and forgotten = 0 and ${visibleTo(command.accountId)}
      ${engine.dialect.forUpdate}`,
  );
  const live = yield* first(
    sql`select id from sessions where device_id = ${command.deviceId} and status <> 'disconnected'`,
  );
  const quota = yield* lockQuota(engine, command.accountId, now);
  if (!quota) throw new Error(`account ${command.accountId} does not exist`);
  if (!(yield* keyIsValid(command))) return { ok: false, refusal: { why: 'key-invalid' } };
  const facts = device ? deviceFacts(device, live !== undefined) : null;
  const refusal = connectRefusal(facts, quota, command.minutes);
  if (refusal) return { ok: false, refusal };
  const session = yield* allocate(engine.dialect, command, device!, quota);
  yield* record({ kind: 'session', id: session.id }, { kind: 'device', id: session.deviceId });
  return { ok: true, session, replayed: false };
}

/**
 * Returns false when the requested app does not exist. An app that exists cannot be deleted until the transaction
 * ends.
 */
export function* lockApp({ dialect }: Engine, { appId, accountId }: BorrowRequest): Transaction<boolean> {
  if (appId === null) return true;
  const app = yield* first(sql`select id from apps where ${owned(appId, accountId)} ${dialect.forUpdate}`);
  return app !== undefined;
}

/** The outcome of an earlier request with the same idempotency key, if any. */
export function* replay(command: BorrowRequest, now: Timestamp): Transaction<ConnectOutcome | undefined> {
  const request = yield* findRequest(command.accountId, command.idempotency, 'session_id');
  if (request === undefined) return undefined;
  if (request === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
  const session = yield* first(sql<Tables['sessions']>`select * from sessions where id = ${request.id}`);
  return { ok: true, session: sessionRow(session!, now), replayed: true };
}

/**
 * Creates the session on a device that this transaction has locked. Its time is read after the lock: the previous
 * session of the device may have ended while this transaction waited.
 */
export function* allocate(
  { currentTime }: Dialect,
  command: BorrowRequest,
  device: Tables['devices'],
  { month, recordSessions }: { month: string; recordSessions: boolean },
): Transaction<SessionRow> {
  const { sessionId, accountId, minutes, appId } = command;
  const record = command.record ?? recordSessions;
  const session = yield* first(
    sql<Tables['sessions']>`
      insert into sessions (id, device_id, host_id, account_id, key_id, epoch, status, created_at, expires_at,
        app_id, app_status, app_request, month, minutes_reserved, device_name, device_model,
        creator_id, creator_name, record, record_text)
      select ${sessionId}, ${device.id}, ${device.host_id}, ${accountId}, ${command.keyId}, ${device.epoch + 1},
        'connecting', clock.now, clock.now + ${minutes * 60_000}, ${appId}, ${appId === null ? null : 'pending'},
        ${appId === null ? 0 : 1}, ${month}, ${minutes},
        ${device.name}, ${device.model}, ${creatorOf(command.keyId)},
        ${flagOf(record)}, ${flagOf(command.recordText)}
      from (select ${currentTime()} as now) clock
      returning *`,
  );
  yield* all(sql`update devices set epoch = epoch + 1, status = 'busy' where id = ${device.id}`);
  yield* all(sql`update accounts set live_sessions = live_sessions + 1 where id = ${accountId}`);
  yield* reserve(accountId, month, minutes);
  yield* recordIdempotencyKey(accountId, command.idempotency, sessionId, session!.created_at, 'session_id');
  return sessionRow(session!, session!.created_at);
}
