import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow } from '../entities.ts';
import { sessionRow, type TimedSession } from '../rows.ts';
import type { RecordedLease } from './artifact-store.ts';
import { recorded } from './artifacts.ts';

export async function finishRecording(
  engine: Engine,
  lease: RecordedLease,
  detail: string | null,
): Promise<SessionRow | null> {
  return engine.transact(function* (now): Transaction<SessionRow | null> {
    const row = yield* first(
      sql<Tables['sessions']>`
        update sessions set recording_finished_at = coalesce(recording_finished_at, ${now}), recording_silent = 0,
          recording_detail = case when recording_finished_at is null or recording_silent = 1
            then ${detail} else recording_detail end
        where ${recorded(lease)} returning *`,
    );
    if (!row) return null;
    yield* all(sql`delete from artifacts where session_id = ${row.id} and purged_at is not null`);
    return sessionRow(row, now);
  });
}

const NOT_CONNECTED = 'the session ended before the phone was ready';
const SILENT = 'the host of the phone did not finish the upload of the recording';

/**
 * A session that was never connected usually has no recording, and its host may never have received its order. Artifacts
 * that arrive later are stored nevertheless.
 */
export async function failSilentRecordings(
  engine: Engine,
  { silentMs, limit }: { silentMs: number; limit: number },
): Promise<SessionRow[]> {
  const now = engine.dialect.currentTime();
  const rows = await engine.run(
    sql<TimedSession>`
      update sessions set recording_finished_at = ${now}, recording_silent = 1,
        recording_detail = case when connected_at is null then ${NOT_CONNECTED} else ${SILENT} end
      where recording_finished_at is null and id in (
        select id from sessions s
        where record = 1 and recording_finished_at is null and ended_at is not null
          and (connected_at is null or ended_at < ${now} - ${silentMs})
          and not exists (
            select 1 from artifacts where session_id = s.id and coalesce(stored_at, created_at) > ${now} - ${silentMs})
        order by ended_at limit ${limit} ${engine.dialect.forUpdateSkipLocked})
      returning *, ${now} as now`,
  );
  return rows.map((row) => sessionRow(row, row.now));
}
