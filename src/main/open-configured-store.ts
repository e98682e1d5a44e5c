import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Config } from './config.ts';
import { dataFiles } from './data-folder.ts';

/** PostgreSQL where its address is set, else the database in the data folder. */
export function openConfiguredStore(
  { databaseUrl, dataDir }: Config,
  log: Log,
  clockOffsetMs?: () => number,
): Promise<Store> {
  const where = databaseUrl ? { databaseUrl } : { sqliteFile: dataFiles(dataDir).database };
  return openStore(where, { log, clockOffsetMs });
}
