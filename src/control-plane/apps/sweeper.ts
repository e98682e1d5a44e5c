import { setTimeout as delay } from 'node:timers/promises';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ControlPlaneContext } from '../context.ts';

const INTERVAL_MS = 5_000;
const MAX_NAMED = 10;
const ABANDONED_INTERVAL_MS = 10 * 60_000;
/** Maximum number of apps removed per run. The next run removes the rest. */
const BATCH = 100;

type SweeperContext = Pick<ControlPlaneContext, 'store' | 'appFiles' | 'log'>;

/**
 * Removes the files of deleted apps as soon as no session waits for them, and what is left of uploads that ended with
 * their process. It runs in the process that stores the app files.
 */
export async function runSweeper(context: SweeperContext, signal: AbortSignal): Promise<void> {
  let lookedForAbandoned = Number.NEGATIVE_INFINITY;
  await nameStrangers(context);
  await measureApps(context, signal);
  while (!signal.aborted) {
    await removeUnneeded(context);
    if (performance.now() - lookedForAbandoned >= ABANDONED_INTERVAL_MS) {
      lookedForAbandoned = performance.now();
      await removeAbandoned(context);
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}

/** Never throws. A failed removal is retried in the next run. */
export async function removeUnneeded({ store, appFiles, log }: SweeperContext): Promise<void> {
  try {
    const ids = await store.unneededApps(BATCH);
    for (const id of ids) await appFiles.remove(id);
    if (ids.length > 0) await store.forgetApps(ids);
  } catch (error) {
    logUnlessOutage(
      log,
      'error',
      { err: error },
      'the files of deleted apps could not be removed; it is tried again',
    );
  }
}

/** Measures the files of apps that were uploaded to a version of the service that did not measure them. */
async function measureApps({ store, appFiles, log }: SweeperContext, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const ids = await store.unmeasuredApps(BATCH);
      for (const id of ids) {
        if (signal.aborted) return;
        // An app without files counts as 0 bytes.
        await store.recordStoredSize(id, await appFiles.storedBytes(id).catch(() => 0));
      }
      if (ids.length < BATCH) return;
    }
  } catch (error) {
    logUnlessOutage(log, 'error', { err: error }, 'the files of older apps could not be measured');
  }
}

/**
 * Only reports orphaned files and does not remove them, because they may be the only copy of another service's apps.
 */
async function nameStrangers({ store, appFiles, log }: SweeperContext): Promise<void> {
  try {
    const appIds = await appFiles.findOrphans(async (appId) => (await store.getKeptApp(appId)) !== null);
    if (appIds.length === 0) return;
    const examples = appIds.slice(0, MAX_NAMED);
    log.warn({ count: appIds.length, examples }, 'the folder of apps has files of apps that are in no row');
  } catch (error) {
    log.error({ error }, 'the folder of apps could not be looked through');
  }
}

async function removeAbandoned({ appFiles, log }: SweeperContext): Promise<void> {
  try {
    await appFiles.removeAbandoned();
  } catch (error) {
    log.error({ error }, 'what is left of uploads cut short could not be removed; it is tried again');
  }
}
