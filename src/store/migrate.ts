import { all, type Engine, raw, sql, type Transaction } from './engine.ts';
import { tables } from './migrations/001-tables.ts';
import { deviceCounts } from './migrations/002-device-counts.ts';
import { apps } from './migrations/003-apps.ts';
import { hosts } from './migrations/004-hosts.ts';
import { events } from './migrations/005-events.ts';
import { admin } from './migrations/006-admin.ts';
import { queue } from './migrations/007-queue.ts';
import { triggerPlans } from './migrations/008-trigger-plans.ts';
import { webhooks } from './migrations/009-webhooks.ts';
import { users } from './migrations/010-users.ts';
import { groups } from './migrations/011-groups.ts';
import { watchLinks } from './migrations/012-watch-links.ts';
import { auditCounts } from './migrations/013-audit-counts.ts';
import { deviceClaims } from './migrations/014-device-claims.ts';
import { appStorage } from './migrations/015-app-storage.ts';
import type { Migration, Vocabulary } from './migrations/migration.ts';
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
];
export const KNOWN_SCHEMA = Math.max(...MIGRATIONS.map(({ id }) => id));
/** The step that made the column; those before it are known to every version that is still about. */
const LIVABLE_SINCE_KEPT = 4;

/** The database was made by a newer version, and this one must not touch it. */
export class SchemaTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `the database has schema ${found}, and this version knows ${known}: start the newer version, or restore a backup`,
    );
    this.name = 'SchemaTooNewError';
  }
}

/**
 * Brings the schema up to date, all or nothing. Safe when many processes start at once: the first statement waits
 * until no other does the same.
 * @throws SchemaTooNewError when the database has steps that this code does not know and cannot live with
 */
export async function migrate(engine: Engine, vocabulary: Vocabulary): Promise<void> {
  await engine.transact(function* (now): Transaction<void> {
    if (vocabulary.lock) yield* all(raw(vocabulary.lock));
    yield* all(
      sql`create table if not exists migrations (id integer primary key, name text not null, applied_at bigint not null)`,
    );
    const applied = new Set((yield* all(sql<{ id: number }>`select id from migrations`)).map(({ id }) => id));
    const newest = Math.max(0, ...applied);
    if (newest > KNOWN_SCHEMA) yield* insistOnLivable(newest);
    for (const migration of MIGRATIONS.filter(({ id }) => !applied.has(id))) {
      for (const text of migration.statements(vocabulary)) yield* all(raw(text));
      yield* all(
        sql`insert into migrations (id, name, applied_at) values (${migration.id}, ${migration.name}, ${now})`,
      );
      if (migration.id < LIVABLE_SINCE_KEPT) continue;
      yield* all(
        sql`update migrations set livable_since = ${migration.livableSince} where id = ${migration.id}`,
      );
    }
  });
}

/** While a fleet is upgraded, processes of the version before start again on what the new one has made. */
function* insistOnLivable(newest: number): Transaction<void> {
  const strange = yield* all(
    sql<Tables['migrations']>`select * from migrations where id > ${KNOWN_SCHEMA} order by id desc`,
  );
  const livable = strange.every(({ livable_since: since }) => since != null && since <= KNOWN_SCHEMA);
  if (!livable) throw new SchemaTooNewError(newest, KNOWN_SCHEMA);
}
