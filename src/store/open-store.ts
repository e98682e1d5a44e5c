import type { Log } from '../util/log.ts';
import { accountStore } from './accounts/bind.ts';
import { appStore } from './apps/bind.ts';
import { artifactStore } from './artifacts/bind.ts';
import { auditStore } from './audit/bind.ts';
import { deviceStore } from './devices/bind.ts';
import { dataFiles } from './engine/data-folder.ts';
import { type Engine, sql } from './engine/engine.ts';
import { openPostgres } from './engine/postgres.ts';
import { openSqlite } from './engine/sqlite.ts';
import { eventLog } from './events/bind.ts';
import { hostStore } from './hosts/bind.ts';
import { withOutageLog } from './outage-log.ts';
import { phoneQueue } from './queue/bind.ts';
import { sessionStore } from './sessions/bind.ts';
import type { Store } from './store.ts';
import { webhookStore } from './webhooks/bind.ts';

/** Settings of the store: the folder of the embedded database, and the address of PostgreSQL, which replaces it. */
export interface StoreSettings {
  dataDir: string;
  databaseUrl: string | null;
}

/** Opens PostgreSQL if its address is configured, otherwise the embedded database in the data folder. */
export function openConfiguredStore(
  { databaseUrl, dataDir }: StoreSettings,
  options: StoreOptions,
): Promise<Store> {
  return openStore(databaseUrl ? { databaseUrl } : { sqliteFile: dataFiles(dataDir).database }, options);
}

/** Location of the database: a SQLite file, or a `postgres://…` URL. */
export type StoreLocation = { sqliteFile: string } | { databaseUrl: string };

export interface StoreOptions {
  log: Log;
  /**
   * Milliseconds that are added to the clock of the database to get the store's clock, read in every transaction.
   * Tests use it to advance time. Default: 0.
   */
  clockOffsetMs?: () => number;
}

/**
 * Opens the store and migrates its schema to the latest version.
 * @throws StoreUnavailableError, SchemaTooNewError
 */
export async function openStore(location: StoreLocation, options: StoreOptions): Promise<Store> {
  const clockOffsetMs = options.clockOffsetMs ?? (() => 0);
  const engine =
    'sqliteFile' in location
      ? await openSqlite(location.sqliteFile, clockOffsetMs, options.log)
      : await openPostgres(location.databaseUrl, clockOffsetMs, options.log);
  return storeOn(withOutageLog(engine, options.log));
}

function storeOn(engine: Engine): Store {
  return {
    ...accountStore(engine),
    ...appStore(engine),
    ...artifactStore(engine),
    ...auditStore(engine),
    ...deviceStore(engine),
    ...eventLog(engine),
    ...hostStore(engine),
    ...phoneQueue(engine),
    ...sessionStore(engine),
    ...webhookStore(engine),
    get waiting() {
      return engine.waiting;
    },
    ping: async () => void (await engine.run(sql`select 1`)),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
