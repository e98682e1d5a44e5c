import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Config } from './config.ts';
import { dataFiles } from './data-folder.ts';

/** Opens PostgreSQL if its address is configured, otherwise the embedded database in the data folder. */
export function openConfiguredStore(
  { databaseUrl, dataDir }: Config,
  log: Log,
  clockOffsetMs?: () => number,
): Promise<Store> {
  const where = databaseUrl ? { databaseUrl } : { sqliteFile: dataFiles(dataDir).database };
  return openStore(where, { log, clockOffsetMs });
}
