import type { Idempotency, Timestamp } from '../entities.ts';
import { all, type Dialect, first, type Sql, sql, type Transaction } from './engine.ts';

/** The kind of object that a request with an idempotency key created; each kind has a column. */
type Created = 'app_id' | 'made_id' | 'session_id';

/** Minimum time for which an idempotency key is kept, and a repeated request is answered with its first session. */
const KEPT_MS = 24 * 3_600_000;

const COLUMNS: Record<Created, Sql<unknown>> = {
  app_id: sql`app_id`,
  made_id: sql`made_id`,
  session_id: sql`session_id`,
};

/**
 * Finds an earlier request with the same idempotency key. Returns `conflict` if it was a different request, undefined
 * if there was none. `id` is the object that it created.
 * @param accountId the account whose idempotency key is used; null only without an idempotency key
 */
export function* findRequest(
  accountId: string | null,
  idempotency: Idempotency | null,
  created: Created,
): Transaction<{ id: string | null } | 'conflict' | undefined> {
  if (!idempotency) return undefined;
  const row = yield* first(
    sql<{ fingerprint: string; id: string | null }>`
      select fingerprint, ${COLUMNS[created]} as id from idempotency_keys
      where account_id = ${accountId} and key = ${idempotency.key}`,
  );
  if (!row) return undefined;
  return row.fingerprint === idempotency.fingerprint ? { id: row.id } : 'conflict';
}

/** The same for requests that create one object: returns its identifier. */
export function* findReplay(
  accountId: string | null,
  idempotency: Idempotency | null,
): Transaction<string | 'conflict' | undefined> {
  const request = yield* findRequest(accountId, idempotency, 'made_id');
  return request === undefined || request === 'conflict' ? request : (request.id ?? 'conflict');
}

/**
 * Records what a request with an idempotency key created. If two requests use one key at once, the second insert
 * fails; its transaction is run again and finds the result of the first.
 */
export function* recordIdempotencyKey(
  accountId: string | null,
  idempotency: Idempotency | null,
  id: string,
  now: Timestamp,
  created: Created = 'made_id',
): Transaction<void> {
  if (!idempotency) return;
  const { key, fingerprint } = idempotency;
  yield* all(sql`${insertInto(created)} values (${accountId}, ${key}, ${fingerprint}, ${id}, ${now})`);
}

/** Condition that no earlier request used the idempotency key, as part of the statement that creates a session. */
export function isFirstRequest(accountId: string, { key }: Idempotency): Sql<unknown> {
  return sql`not exists (
        select 1 from idempotency_keys where account_id = ${accountId} and key = ${key})`;
}

/**
 * As `recordIdempotencyKey`, as part of the statement that creates a session.
 * @param session names the created row, from which `account_id`, `id` and `created_at` are read
 */
export function recordSessionRequest({ key, fingerprint }: Idempotency, session: Sql<unknown>): Sql<unknown> {
  return sql`${insertInto('session_id')} select account_id, ${key}, ${fingerprint}, id, created_at from ${session}`;
}

const insertInto = (created: Created): Sql<unknown> =>
  sql`insert into idempotency_keys (account_id, key, fingerprint, ${COLUMNS[created]}, created_at)`;

/**
 * Records that a repeat of a request receives its session. The record stays locked until the transaction ends, so that
 * the first request cannot be cancelled meanwhile.
 */
export function* markReplayed(accountId: string, idempotency: Idempotency | null): Transaction<void> {
  if (!idempotency) return;
  const { key, fingerprint } = idempotency;
  yield* all(
    sql`update idempotency_keys set replayed = 1
      where account_id = ${accountId} and key = ${key} and fingerprint = ${fingerprint}`,
  );
}

/** Whether a repeat has received the session. A repeat that begins now waits for this transaction. */
export function* isReplayed(
  { forUpdate }: Dialect,
  { accountId, key, sessionId }: { accountId: string; key: string; sessionId: string },
): Transaction<boolean> {
  const row = yield* first(
    sql<{ replayed: 0 | 1 }>`select replayed from idempotency_keys
      where account_id = ${accountId} and key = ${key} and session_id = ${sessionId} ${forUpdate}`,
  );
  return row?.replayed === 1;
}

/** Deletes the record of a request that created a session, so that a repeat creates another session. */
export function* deleteSessionRequest(accountId: string, key: string, sessionId: string): Transaction<void> {
  yield* all(
    sql`delete from idempotency_keys
      where account_id = ${accountId} and key = ${key} and session_id = ${sessionId}`,
  );
}

/** Deletes at most `limit` records that are older than the time for which they are kept, the oldest first. */
export function* sweepIdempotencyKeys(now: Timestamp, limit: number): Transaction<void> {
  yield* all(
    sql`delete from idempotency_keys where (account_id, key) in (
      select account_id, key from idempotency_keys where created_at < ${now - KEPT_MS}
      order by created_at limit ${limit})`,
  );
}
