import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ControlPlaneContext } from '../context.ts';
import { runPeriodically } from '../periodic.ts';

const INTERVAL_MS = 5_000;
const MAX_NAMED = 10;
const ABANDONED_INTERVAL_MS = 10 * 60_000;
/** The database has ended every transaction of a lost connection within this time. */
const UNDECIDED_MS = 60_000;
/** Maximum number of apps removed per run. The next run removes the rest. */
const BATCH = 100;

type SweeperContext = Pick<ControlPlaneContext, 'store' | 'appFiles' | 'log'>;

/**
 * Removes the files of deleted apps as soon as no session waits for them, and what is left of uploads that ended with
 * their process. It runs in the process that stores the app files.
 */
export async function runSweeper(context: SweeperContext, signal: AbortSignal): Promise<void> {
  let lookedForAbandoned = Number.NEGATIVE_INFINITY;
  await reportOrphans(context);
  await measureApps(context, signal);
  await runPeriodically(context.log, signal, {
    intervalMs: INTERVAL_MS,
    failure: 'files of deleted apps or abandoned uploads could not be removed; retrying',
    run: async () => {
      await removeUnneeded(context);
      await removeUndecided(context);
      if (performance.now() - lookedForAbandoned >= ABANDONED_INTERVAL_MS) {
        lookedForAbandoned = performance.now();
        await context.appFiles.removeAbandoned();
      }
      return false;
    },
  });
}

/** Removes the files of uploads whose row the database did not confirm and has not created. */
export async function removeUndecided(
  { store, appFiles }: Pick<SweeperContext, 'store' | 'appFiles'>,
  afterMs = UNDECIDED_MS,
): Promise<void> {
  for (const [id, uploadedAt] of appFiles.undecided) {
    if (performance.now() - uploadedAt < afterMs) return;
    if (!(await store.getKeptApp(id))) await appFiles.remove(id);
    appFiles.undecided.delete(id);
  }
}

export async function removeUnneeded({
  store,
  appFiles,
}: Pick<SweeperContext, 'store' | 'appFiles'>): Promise<void> {
  const ids = await store.listUnneededApps(BATCH);
  for (const id of ids) await appFiles.remove(id);
  if (ids.length > 0) await store.purgeApps(ids);
}

/** Measures the files of apps that were uploaded to a version of the service that did not measure them. */
async function measureApps({ store, appFiles, log }: SweeperContext, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const ids = await store.listUnmeasuredApps(BATCH);
      for (const id of ids) {
        if (signal.aborted) return;
        // An app without files counts as 0 bytes.
        await store.recordStoredSize(id, await appFiles.storedBytes(id).catch(() => 0));
      }
      if (ids.length < BATCH) return;
    }
  } catch (error) {
    logUnlessOutage(log, 'error', { err: error }, 'sizes of older apps could not be measured');
  }
}

/**
 * Only reports orphaned files and does not remove them, because they may be the only copy of another service's apps.
 */
async function reportOrphans({ store, appFiles, log }: SweeperContext): Promise<void> {
  try {
    const appIds = await appFiles.findOrphans(async (appId) => (await store.getKeptApp(appId)) !== null);
    if (appIds.length === 0) return;
    const examples = appIds.slice(0, MAX_NAMED);
    log.warn({ count: appIds.length, examples }, 'orphaned files of apps found in the app folder');
  } catch (error) {
    log.error({ err: error }, 'app folder could not be checked for orphaned files');
  }
}
