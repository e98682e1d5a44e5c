import { type StorageUse, storageLeft } from '../../domain/quota.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';

/**
 * Remaining artifact storage of an account in bytes, as storageLeft() in domain/quota.ts computes it; null: unlimited.
 */
export const artifactRoomOf = (accountId: Sql<unknown>): Sql<unknown> => sql`(
  select case when max_artifact_bytes > artifact_bytes then max_artifact_bytes - artifact_bytes
    when max_artifact_bytes is not null then 0 end
  from accounts where id = ${accountId})`;

export async function getArtifactRoom(engine: Engine, accountId: string): Promise<number | null> {
  const [row] = await engine.run(
    sql<StorageUse>`
      select max_artifact_bytes as "limit", artifact_bytes as used from accounts where id = ${accountId}`,
  );
  return row ? storageLeft(row) : 0;
}

/**
 * The storage of an account's artifacts, and its limit. Locks the account, because concurrent reservations could
 * otherwise exceed the limit.
 */
export function* lockStorage({ dialect }: Engine, accountId: string): Transaction<StorageUse> {
  const row = yield* first(
    sql<StorageUse>`
      select max_artifact_bytes as "limit", artifact_bytes as used from accounts
      where id = ${accountId} ${dialect.forUpdate}`,
  );
  return row ?? { limit: 0, used: 0 };
}

/** Adds to the storage that the artifacts of an account use. Every insert and delete of an artifact calls it. */
export function* countStorage(accountId: string, bytes: number): Transaction<void> {
  yield* all(sql`update accounts set artifact_bytes = artifact_bytes + ${bytes} where id = ${accountId}`);
}
