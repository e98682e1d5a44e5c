import { storageLeft, storageShortfall } from '../../domain/quota.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { newId } from '../new-id.ts';
import { artifactRow } from '../rows.ts';
import { countStorage, lockStorage } from './artifact-storage.ts';
import type {
  ArtifactFacts,
  ArtifactQuery,
  ArtifactRow,
  RecordedLease,
  ReserveArtifactOutcome,
} from './artifact-store.ts';

type ArtifactTable = Tables['artifacts'];

export async function reserveArtifact(
  engine: Engine,
  lease: RecordedLease,
  facts: ArtifactFacts,
  { maxArtifacts }: { maxArtifacts: number },
): Promise<ReserveArtifactOutcome> {
  const { sessionId } = lease;
  return engine.transact(function* (now): Transaction<ReserveArtifactOutcome> {
    const session = yield* first(
      sql<Pick<Tables['sessions'], 'account_id' | 'recording_finished_at' | 'recording_silent'>>`
        select account_id, recording_finished_at, recording_silent from sessions where ${recorded(lease)}`,
    );
    if (!session) return { ok: false, refusal: { why: 'no-recording' } };
    const accountId = session.account_id;
    const storage = yield* lockStorage(engine, accountId);
    const earlier = yield* first(earlierArtifact(sessionId, facts.name));
    if (earlier && (earlier.stored_at !== null || isSame(earlier, facts)))
      return { ok: true, artifact: artifactRow(earlier), isStored: earlier.stored_at !== null };
    // The host repeats an upload that it has finished, and the artifact was deleted since then
    if (session.recording_finished_at !== null && session.recording_silent === 0)
      return { ok: false, refusal: { why: 'finished' } };
    const count = yield* first(
      sql<{ n: number }>`select count(*) as n from artifacts where session_id = ${sessionId}`,
    );
    if (count!.n >= maxArtifacts) return { ok: false, refusal: { why: 'too-many' } };
    const shortfall = storageShortfall('artifact_bytes', storage, facts.size);
    if (shortfall) {
      // A host that repeats the upload of a part asks for the whole artifact first
      const room = Math.max(storageLeft(storage) ?? 0, earlier?.size ?? 0);
      return { ok: false, refusal: { why: 'quota', shortfall, room } };
    }
    // An upload of the other content may still be in progress, so that it must not share the identifier
    if (earlier) yield* all(sql`update artifacts set deleted_at = ${now} where id = ${earlier.id}`);
    const artifact = yield* insert(facts, { sessionId, accountId }, now);
    yield* countStorage(accountId, facts.size);
    return { ok: true, artifact: artifactRow(artifact), isStored: false };
  });
}

/** Condition on the session of a recorded lease. A revoked host may be compromised, so it must not add artifacts. */
export const recorded = ({ sessionId, epoch, hostId }: RecordedLease): Sql<unknown> =>
  sql`id = ${sessionId} and epoch = ${epoch} and host_id = ${hostId} and record = 1
    and not exists (select 1 from hosts where hosts.id = ${hostId} and hosts.revoked_at is not null)`;

/**
 * The artifact with this name that is stored, being uploaded, or was stored and then deleted. An upload that was
 * abandoned is not found, so that it can be repeated.
 */
const earlierArtifact = (sessionId: string, name: string): Sql<ArtifactTable> => sql<ArtifactTable>`
  select * from artifacts
  where session_id = ${sessionId} and name = ${name} and (deleted_at is null or stored_at is not null)
  order by case when deleted_at is null then 0 else 1 end limit 1`;

const isSame = (row: ArtifactTable, facts: ArtifactFacts): boolean =>
  row.kind === facts.kind &&
  row.size === facts.size &&
  row.offset_ms === facts.offsetMs &&
  row.duration_ms === facts.durationMs &&
  row.width === facts.width &&
  row.height === facts.height;

function* insert(
  facts: ArtifactFacts,
  owner: { sessionId: string; accountId: string },
  now: Timestamp,
): Transaction<ArtifactTable> {
  const row = yield* first(
    sql<ArtifactTable>`
      insert into artifacts (id, session_id, account_id, name, kind, size, offset_ms, duration_ms, width, height,
        created_at)
      values (${newId('art')}, ${owner.sessionId}, ${owner.accountId}, ${facts.name}, ${facts.kind}, ${facts.size},
        ${facts.offsetMs}, ${facts.durationMs}, ${facts.width}, ${facts.height}, ${now})
      returning *`,
  );
  return row!;
}

export async function storeArtifact(engine: Engine, artifactId: string): Promise<boolean> {
  return engine.transact(function* (now): Transaction<boolean> {
    const stored = yield* first(
      sql<{ session_id: string }>`
        update artifacts set stored_at = ${now} where id = ${artifactId} and stored_at is null and deleted_at is null
        returning session_id`,
    );
    if (!stored) {
      const kept = yield* first(
        sql`select id from artifacts where id = ${artifactId} and deleted_at is null`,
      );
      return kept !== undefined;
    }
    yield* all(
      sql`update sessions set recording_artifacts = recording_artifacts + 1 where id = ${stored.session_id}`,
    );
    return true;
  });
}

export async function listArtifacts(
  engine: Engine,
  { sessionId, accountId }: { sessionId: string; accountId?: string },
): Promise<ArtifactRow[] | null> {
  const own = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const [session] = await engine.run(sql`select id from sessions where id = ${sessionId} ${own}`);
  if (!session) return null;
  const rows = await engine.run(
    sql<ArtifactTable>`
      select * from artifacts where session_id = ${sessionId} and ${IS_LISTED} order by offset_ms, name`,
  );
  return rows.map(artifactRow);
}

export async function getArtifact(engine: Engine, query: ArtifactQuery): Promise<ArtifactRow | null> {
  const [row] = await engine.run(sql<ArtifactTable>`select * from artifacts where ${found(query)}`);
  return row ? artifactRow(row) : null;
}

export async function deleteArtifact(
  engine: Engine,
  query: ArtifactQuery & { accountId: string },
  audit?: AuditEvent,
): Promise<ArtifactRow | null> {
  return audited(engine, audit, function* (now, record): Transaction<ArtifactRow | null> {
    const row = yield* first(
      sql<ArtifactTable>`update artifacts set deleted_at = ${now} where ${found(query)} returning *`,
    );
    if (!row) return null;
    yield* record({ kind: 'artifact', id: row.id }, { kind: 'session', id: row.session_id });
    return artifactRow(row);
  });
}

const IS_LISTED = sql`stored_at is not null and deleted_at is null`;

function found({ artifactId, sessionId, accountId }: ArtifactQuery): Sql<unknown> {
  const own = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  return sql`id = ${artifactId} and session_id = ${sessionId} ${own} and ${IS_LISTED}`;
}
