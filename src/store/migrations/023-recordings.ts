import type { Migration, Vocabulary } from './migration.ts';

/** 20 GiB and 30 days, the defaults of the service for new accounts. Existing accounts get these limits as well. */
const DEFAULT_BYTES = 20 * 1024 ** 3;
const DEFAULT_DAYS = 30;

/** Artifacts that are stored after the recording was finished matter only if they are its first. */
const IS_NEWS = (differs: string) => `
  (old.recording_finished_at, old.recording_detail) ${differs} (new.recording_finished_at, new.recording_detail)
  or new.recording_finished_at is not null and (old.recording_artifacts = 0) <> (new.recording_artifacts = 0)`;

/** A session shows the state of its recording. */
function tellRecordings({ clock, supportsConcurrentWriters }: Vocabulary): string {
  const trigger = `create trigger events_sessions_recording
    after update of recording_finished_at, recording_detail, recording_artifacts on sessions`;
  if (supportsConcurrentWriters)
    return `${trigger} for each row when (${IS_NEWS('is distinct from')}) execute function log_session()`;
  return `${trigger} when ${IS_NEWS('is not')} begin
    insert into events (kind, subject, account_id, at) values ('session', new.id, new.account_id, ${clock}); end`;
}

/**
 * Of accounts: record_sessions: whether sessions are recorded by default. max_artifact_bytes (null: unlimited),
 * artifact_bytes: limit and sum of the sizes of the rows in `artifacts`. artifact_days: days for which artifacts are
 * kept; null: forever.
 * Of sessions: record, record_text: whether the session and the text that is typed are recorded. recording_finished_at:
 * when the host had uploaded all artifacts, or the service stopped waiting for it. recording_silent: the latter.
 * recording_artifacts: number of artifacts that were ever stored.
 * Of waiters: record: null: the default of the account applies.
 * Artifacts have stored_at once their content is stored. The row of a deleted artifact stays until its content is
 * deleted, and has purged_at from then on as long as its host may upload it again. A session that a process of an earlier
 * version creates is not recorded.
 */
export const recordings: Migration = {
  id: 23,
  name: 'recordings',
  minimumCompatibleSchema: 4,
  statements: (vocabulary) => [
    'alter table accounts add column record_sessions integer not null default 0',
    `alter table accounts add column max_artifact_bytes bigint default ${DEFAULT_BYTES}`,
    `alter table accounts add column artifact_days bigint default ${DEFAULT_DAYS}`,
    'alter table accounts add column artifact_bytes bigint not null default 0 check (artifact_bytes >= 0)',
    'alter table sessions add column record integer not null default 0',
    'alter table sessions add column record_text integer not null default 0',
    'alter table sessions add column recording_finished_at bigint',
    'alter table sessions add column recording_silent integer not null default 0',
    'alter table sessions add column recording_detail text',
    'alter table sessions add column recording_artifacts bigint not null default 0',
    'create index sessions_to_finish on sessions (ended_at) where record = 1 and recording_finished_at is null',
    'alter table waiters add column record integer',
    'alter table waiters add column record_text integer not null default 0',
    ...artifacts(vocabulary),
    tellRecordings(vocabulary),
  ],
};

const artifacts = ({ text }: Vocabulary): string[] => [
  `create table artifacts (
    id ${text} primary key,
    session_id ${text} not null references sessions (id),
    account_id ${text} not null references accounts (id),
    name ${text} not null,
    kind ${text} not null,
    size bigint not null,
    offset_ms bigint not null,
    duration_ms bigint,
    width bigint,
    height bigint,
    created_at bigint not null,
    stored_at bigint,
    deleted_at bigint,
    purged_at bigint
  )`,
  'create index artifacts_of_session on artifacts (session_id)',
  'create unique index artifacts_by_name on artifacts (session_id, name) where deleted_at is null',
  `create index artifacts_by_age on artifacts (account_id, created_at)
    where stored_at is not null and deleted_at is null`,
  `create index artifacts_uploading on artifacts (created_at) where stored_at is null and deleted_at is null`,
  'create index artifacts_deleted on artifacts (deleted_at) where deleted_at is not null and purged_at is null',
];
