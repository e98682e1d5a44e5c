import type { AppStorage } from '../domain/quota.ts';
import { type Engine, first, type Sql, sql, type Transaction } from './engine.ts';

/** Bytes on disk of an account's apps: of deleted ones too, until their files are gone. */
export const storedBytes = (accountId: Sql<unknown>): Sql<unknown> => sql`(
  select coalesce(cast(sum(coalesce(stored_size, size)) as bigint), 0) from apps where account_id = ${accountId})`;

/** What an account's apps take, and may take. */
export function* appStorageOf(accountId: string): Transaction<AppStorage> {
  const row = yield* first(
    sql<{ most: number | null; used: number }>`
      select max_app_bytes as most, ${storedBytes(sql`accounts.id`)} as used from accounts where id = ${accountId}`,
  );
  return { limit: row?.most ?? null, used: row?.used ?? 0 };
}

/** Apps of versions that did not measure what their files take. At most `limit`. */
export async function unmeasuredApps(engine: Engine, limit: number): Promise<string[]> {
  const rows = await engine.run(
    sql<{ id: string }>`select id from apps where stored_size is null order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export async function noteStoredSize(engine: Engine, appId: string, bytes: number): Promise<void> {
  await engine.run(sql`update apps set stored_size = ${bytes} where id = ${appId}`);
}
