import type { ControlPlaneContext } from '../context.ts';
import { MAX_UPLOAD_MS } from '../hosts/artifact-requests.ts';
import { runPeriodically } from '../periodic.ts';
import { announceRecording } from '../session-changes.ts';

const INTERVAL_MS = 30_000;
const ABANDONED_INTERVAL_MS = 10 * 60_000;
/** Maximum number of rows of each kind handled per run. After a full batch the next run follows immediately. */
const BATCH = 100;
/** Bounds one run, because each removal takes half a minute if the storage does not respond. */
const REMOVE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A host that was off for less than this can upload before its recordings are marked as failed. */
const SILENT_MS = 7 * DAY_MS;
/** Longer than any upload takes. Until then, the size of an upload that was interrupted counts against the quota. */
const ABANDONED_MS = 2 * MAX_UPLOAD_MS;

type UpkeepContext = Pick<ControlPlaneContext, 'store' | 'artifactFiles' | 'bus' | 'log'>;

/**
 * Removes artifacts that are older than their accounts keep them, the content of deleted artifacts, and the remains of
 * interrupted uploads, and marks recordings as failed whose hosts stopped reporting. It runs in every api process.
 */
export async function runArtifactUpkeep(
  context: UpkeepContext,
  signal: AbortSignal,
  { intervalMs = INTERVAL_MS }: { intervalMs?: number } = {},
): Promise<void> {
  let lookedForAbandoned = Number.NEGATIVE_INFINITY;
  await runPeriodically(context.log, signal, {
    intervalMs,
    failure: 'artifacts or recordings could not be updated; retrying',
    run: async () => {
      const { store } = context;
      const expired = await store.expireArtifacts({ limit: BATCH, abandonedMs: ABANDONED_MS });
      const failed = await store.failSilentRecordings({ silentMs: SILENT_MS, limit: BATCH });
      for (const session of failed) announceRecording(context, session);
      const removed = await removeDeleted(context, signal);
      if (performance.now() - lookedForAbandoned >= ABANDONED_INTERVAL_MS) {
        lookedForAbandoned = performance.now();
        await context.artifactFiles.removeAbandoned();
      }
      return Math.max(expired, failed.length, removed) >= BATCH;
    },
  });
}

/**
 * Removes the content of deleted artifacts, and then their rows. Returns their number. An artifact whose content cannot
 * be removed does not prevent the removal of the others.
 * @throws the first error of the storage
 */
async function removeDeleted({ store, artifactFiles }: UpkeepContext, signal: AbortSignal): Promise<number> {
  const ids = await store.listDeletedArtifacts(BATCH);
  const deadline = performance.now() + REMOVE_MS;
  const removed: string[] = [];
  const errors: unknown[] = [];
  for (const id of ids) {
    if (signal.aborted || performance.now() > deadline) break;
    await artifactFiles.remove(id).then(
      () => removed.push(id),
      (error: unknown) => errors.push(error),
    );
  }
  if (removed.length > 0) await store.purgeArtifacts(removed);
  if (errors.length > 0) throw errors[0];
  return removed.length;
}
