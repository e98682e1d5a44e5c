import { setTimeout as delay } from 'node:timers/promises';
import type { ApiContext } from '../implement.ts';

const INTERVAL_MS = 5_000;
/** The most that one look removes; the next one sees to the rest. */
const BATCH = 100;

type SweeperContext = Pick<ApiContext, 'store' | 'appFiles' | 'log'>;

/** Removes the files of deleted apps, as soon as no session waits for them. It runs where the files are. */
export async function runSweeper(context: SweeperContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await removeUnneeded(context);
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Never throws: what could not be removed now is tried again. */
export async function removeUnneeded({ store, appFiles, log }: SweeperContext): Promise<void> {
  try {
    const ids = await store.unneededApps(BATCH);
    for (const id of ids) await appFiles.remove(id);
    if (ids.length > 0) await store.forgetApps(ids);
  } catch (error) {
    log.error({ error }, 'the files of deleted apps could not be removed; it is tried again');
  }
}
