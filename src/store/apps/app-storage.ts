import type { StorageUse } from '../../domain/quota.ts';
import { type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';

/** Disk space that an account's apps take, bytes. Includes deleted apps until their files are deleted. */
export const storedBytes = (accountId: Sql<unknown>): Sql<unknown> => sql`(
  select coalesce(cast(sum(coalesce(stored_size, size)) as bigint), 0) from apps where account_id = ${accountId})`;

/** The disk space that an account's apps take, and its limit, bytes. */
export function* appStorageOf(accountId: string): Transaction<StorageUse> {
  const row = yield* first(
    sql<{ most: number | null; used: number }>`
      select max_app_bytes as most, ${storedBytes(sql`accounts.id`)} as used from accounts where id = ${accountId}`,
  );
  return { limit: row?.most ?? null, used: row?.used ?? 0 };
}

/** Returns at most `limit` apps that were stored by a version that did not measure their size on disk. */
export async function listUnmeasuredApps(engine: Engine, limit: number): Promise<string[]> {
  const rows = await engine.run(
    sql<{ id: string }>`select id from apps where stored_size is null order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export async function recordStoredSize(engine: Engine, appId: string, bytes: number): Promise<void> {
  await engine.run(sql`update apps set stored_size = ${bytes} where id = ${appId}`);
}
