import { all, first, sql, type Transaction } from './engine.ts';
import type { Idempotency, Timestamp } from './store.ts';

/**
 * What the same request made before: its identifier, nothing, or that the key was used with another request.
 * @param accountId whose idempotency key it is
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

/** Two requests with one key at once: the later insert fails, and its transaction, run again, finds the first one's. */
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
