import { all, first, sql, type Transaction } from './engine/engine.ts';
import type { Idempotency, Timestamp } from './store.ts';

/**
 * Finds what an earlier request with the same idempotency key created. Returns its identifier, `conflict` if the key
 * was used for another request, or undefined if it was not used.
 * @param accountId the account whose idempotency key is used
 */
export function* recall(
  accountId: string,
  idempotency: Idempotency | null,
): Transaction<string | 'conflict' | undefined> {
  if (!idempotency) return undefined;
  const row = yield* first(
    sql<{ fingerprint: string; made_id: string | null }>`
      select fingerprint, made_id from idempotency_keys
      where account_id = ${accountId} and key = ${idempotency.key}`,
  );
  if (!row) return undefined;
  return row.fingerprint === idempotency.fingerprint && row.made_id !== null ? row.made_id : 'conflict';
}

/**
 * If two requests use one key at once, the second insert fails; its transaction is run again and finds the result of
 * the first.
 */
export function* remember(
  accountId: string,
  idempotency: Idempotency | null,
  madeId: string,
  now: Timestamp,
): Transaction<void> {
  if (!idempotency) return;
  const { key, fingerprint } = idempotency;
  yield* all(
    sql`insert into idempotency_keys (account_id, key, fingerprint, made_id, created_at)
      values (${accountId}, ${key}, ${fingerprint}, ${madeId}, ${now})`,
  );
}
