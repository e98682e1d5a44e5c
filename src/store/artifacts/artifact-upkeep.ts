import type { AuditEvent } from '../audit/audit-store.ts';
import { recordChange } from '../audit/audited.ts';
import { all, type Engine, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { countStorage } from './artifact-storage.ts';

type ArtifactTable = Tables['artifacts'];

const DAY_MS = 86_400_000;

export async function expireArtifacts(
  engine: Engine,
  { limit, abandonedMs }: { limit: number; abandonedMs: number },
): Promise<number> {
  return engine.transact(function* (now): Transaction<number> {
    const old = yield* deleteExpired(engine, limit, now);
    const abandoned = yield* markDeleted(
      engine,
      sql`stored_at is null and deleted_at is null and created_at < ${now - abandonedMs} order by created_at`,
      limit - old,
      now,
    );
    return old + abandoned.length;
  });
}

/**
 * Finds the accounts with expired artifacts first. The index has the oldest artifact of an account, so that this costs
 * one look-up for each account, however many artifacts there are.
 */
function* deleteExpired(engine: Engine, limit: number, now: Timestamp): Transaction<number> {
  const due = yield* all(
    sql<{ id: string; artifact_days: number }>`
      select id, artifact_days from accounts
      where artifact_days is not null and (
        select min(created_at) from artifacts
        where account_id = accounts.id and stored_at is not null and deleted_at is null
      ) < ${now} - artifact_days * ${DAY_MS} order by id limit ${limit}`,
  );
  let deleted = 0;
  for (const { id, artifact_days } of due) {
    if (deleted >= limit) break;
    const before = now - artifact_days * DAY_MS;
    const expired = yield* markDeleted(
      engine,
      sql`account_id = ${id} and stored_at is not null and deleted_at is null and created_at < ${before}
        order by created_at`,
      limit - deleted,
      now,
    );
    deleted += expired.length;
    for (const sessionId of new Set(expired.map(({ session_id }) => session_id)))
      yield* recordChange(expiryOf(id), [{ kind: 'session', id: sessionId }], now);
  }
  return deleted;
}

const expiryOf = (accountId: string): AuditEvent => ({
  accountId,
  keyId: null,
  action: 'artifacts.expire',
  address: null,
  targets: [],
});

function* markDeleted(
  { dialect }: Engine,
  matching: Sql<unknown>,
  limit: number,
  now: Timestamp,
): Transaction<ArtifactTable[]> {
  if (limit <= 0) return [];
  return yield* all(
    sql<ArtifactTable>`
      update artifacts set deleted_at = ${now} where id in (
        select id from artifacts where ${matching} limit ${limit} ${dialect.forUpdateSkipLocked})
      returning *`,
  );
}

export async function listDeletedArtifacts(engine: Engine, limit: number): Promise<string[]> {
  const rows = await engine.run(
    sql<{ id: string }>`
      select id from artifacts where deleted_at is not null and purged_at is null order by deleted_at limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

export async function purgeArtifacts(engine: Engine, artifactIds: string[]): Promise<void> {
  const { dialect } = engine;
  await engine.transact(function* (now): Transaction<void> {
    const deleted = yield* all(
      sql<ArtifactTable>`
        select * from artifacts
        where deleted_at is not null and purged_at is null and id ${dialect.isOneOf(artifactIds)}
        order by id ${dialect.forUpdate}`,
    );
    const purged = sql`id ${dialect.isOneOf(deleted.map(({ id }) => id))}`;
    yield* all(
      sql`update artifacts set purged_at = ${now}, size = 0 where ${purged} and stored_at is not null
        and session_id in (select id from sessions where recording_finished_at is null or recording_silent = 1)`,
    );
    yield* all(sql`delete from artifacts where ${purged} and purged_at is null`);
    const freed = Map.groupBy(deleted, ({ account_id }) => account_id);
    // A fixed order prevents deadlocks between two processes
    for (const accountId of [...freed.keys()].sort()) {
      const bytes = freed.get(accountId)!.reduce((sum, { size }) => sum + size, 0);
      yield* countStorage(accountId, -bytes);
    }
  });
}
