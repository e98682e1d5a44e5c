import { tables } from '../migrations/001-tables.ts';
import { deviceCounts } from '../migrations/002-device-counts.ts';
import { apps } from '../migrations/003-apps.ts';
import { hosts } from '../migrations/004-hosts.ts';
import { events } from '../migrations/005-events.ts';
import { admin } from '../migrations/006-admin.ts';
import { queue } from '../migrations/007-queue.ts';
import { triggerPlans } from '../migrations/008-trigger-plans.ts';
import { webhooks } from '../migrations/009-webhooks.ts';
import { users } from '../migrations/010-users.ts';
import { groups } from '../migrations/011-groups.ts';
import { watchLinks } from '../migrations/012-watch-links.ts';
import { auditCounts } from '../migrations/013-audit-counts.ts';
import { deviceClaims } from '../migrations/014-device-claims.ts';
import { appStorage } from '../migrations/015-app-storage.ts';
import { triggers } from '../migrations/016-triggers.ts';
import { unusedFunctions } from '../migrations/017-unused-functions.ts';
import { sessionDevice } from '../migrations/018-session-device.ts';
import { browserSessions } from '../migrations/019-browser-sessions.ts';
import { deviceKind } from '../migrations/020-device-kind.ts';
import { sessionCreator } from '../migrations/021-session-creator.ts';
import { battery } from '../migrations/022-battery.ts';
import { recordings } from '../migrations/023-recordings.ts';
import { recordingLinks } from '../migrations/024-recording-links.ts';
import { triggerConditions } from '../migrations/025-trigger-conditions.ts';
import { replayedRequests } from '../migrations/026-replayed-requests.ts';
import type { Migration, Vocabulary } from '../migrations/migration.ts';
import { all, type Engine, raw, sql, type Transaction } from './engine.ts';
import type { Tables } from './tables.ts';

const MIGRATIONS: Migration[] = [
  tables,
  deviceCounts,
  apps,
  hosts,
  events,
  admin,
  queue,
  triggerPlans,
  webhooks,
  users,
  groups,
  watchLinks,
  auditCounts,
  deviceClaims,
  appStorage,
  triggers,
  unusedFunctions,
  sessionDevice,
  browserSessions,
  deviceKind,
  sessionCreator,
  battery,
  recordings,
  recordingLinks,
  triggerConditions,
  replayedRequests,
];
export const KNOWN_SCHEMA = Math.max(...MIGRATIONS.map(({ id }) => id));
/**
 * The migration that added the column `livable_since`, which has the minimum compatible schema version. Every version
 * that is still in use knows the migrations before it.
 */
const MINIMUM_RECORDED_SINCE = 4;

/** The database was migrated by a newer version whose schema this version is not compatible with. */
export class SchemaTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `the database has schema version ${found}, but this version supports up to ${known}; start the newer ` +
        'version, or restore a backup',
    );
    this.name = 'SchemaTooNewError';
  }
}

/**
 * Migrates the schema to the latest version, in one transaction. Safe when many processes start at once: the first
 * statement waits until no other process migrates.
 * @throws SchemaTooNewError when the database has migrations that this version neither knows nor is compatible with
 */
export async function migrate(engine: Engine, vocabulary: Vocabulary): Promise<void> {
  await engine.transact(function* (now): Transaction<void> {
    if (vocabulary.lock) yield* all(raw(vocabulary.lock));
    yield* all(
      sql`create table if not exists migrations (id integer primary key, name text not null, applied_at bigint not null)`,
    );
    const applied = new Set((yield* all(sql<{ id: number }>`select id from migrations`)).map(({ id }) => id));
    const newest = Math.max(0, ...applied);
    if (newest > KNOWN_SCHEMA) yield* checkMinimumSchema(newest);
    for (const migration of MIGRATIONS.filter(({ id }) => !applied.has(id))) {
      for (const text of migration.statements(vocabulary)) yield* all(raw(text));
      yield* all(
        sql`insert into migrations (id, name, applied_at) values (${migration.id}, ${migration.name}, ${now})`,
      );
      if (migration.id < MINIMUM_RECORDED_SINCE) continue;
      yield* all(
        sql`update migrations set livable_since = ${migration.minimumCompatibleSchema} where id = ${migration.id}`,
      );
    }
  });
}

/**
 * Checks that this version is compatible with the newer migrations. During a rolling upgrade, processes of the
 * previous version restart on the schema of the new one.
 */
function* checkMinimumSchema(newest: number): Transaction<void> {
  const unknown = yield* all(
    sql<Tables['migrations']>`select * from migrations where id > ${KNOWN_SCHEMA} order by id desc`,
  );
  const isCompatible = unknown.every(({ livable_since: since }) => since != null && since <= KNOWN_SCHEMA);
  if (!isCompatible) throw new SchemaTooNewError(newest, KNOWN_SCHEMA);
}
