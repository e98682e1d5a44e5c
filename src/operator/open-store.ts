import { ensureDataFolder } from '../store/engine/data-folder.ts';
import { openConfiguredStore, type StoreSettings } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { silentLog } from '../util/log.ts';

/** Opens the store for one command, with or without a running server. */
export async function openStoreForCommand(settings: StoreSettings): Promise<Store> {
  await ensureDataFolder(settings.dataDir);
  return openConfiguredStore(settings, { log: silentLog });
}
