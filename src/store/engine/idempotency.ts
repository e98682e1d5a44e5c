import type { Idempotency, Timestamp } from '../entities.ts';
import { all, first, type Sql, sql, type Transaction } from './engine.ts';

/** The kind of object that a request with an idempotency key created; each kind has a column. */
type Created = 'app_id' | 'made_id' | 'session_id';

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
  yield* all(
    sql`insert into idempotency_keys (account_id, key, fingerprint, ${COLUMNS[created]}, created_at)
      values (${accountId}, ${key}, ${fingerprint}, ${id}, ${now})`,
  );
}
