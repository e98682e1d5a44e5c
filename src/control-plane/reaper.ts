import type { ControlPlaneContext } from './context.ts';
import { ListeningTime } from './listening-time.ts';
import { runPeriodically } from './periodic.ts';
import { type Publisher, publishSessions } from './session-changes.ts';

/** Interval at which each process checks for due sessions. A session ends at most 5 s after its expiry. */
const INTERVAL_MS = 1_000;
/**
 * Maximum number of rows of each kind (silent hosts, sessions that did not start, expired sessions) handled per run.
 * After a full batch the next run follows immediately.
 */
const BATCH = 200;
/** A host that has sent nothing for this long is considered lost. */
export const HOST_SILENCE_MS = 10_000;

/**
 * Ends sessions that are due, and marks silent hosts as lost. It runs in every api process. When this process could
 * not have received reports (it just started, stood still, or had no store or bus), that time does not count as
 * silence of the hosts.
 */
export async function runReaper(
  context: Pick<ControlPlaneContext, 'store'> & Publisher,
  signal: AbortSignal,
  options: { intervalMs?: number; hostSilenceMs?: number } = {},
): Promise<void> {
  const { store, bus, log } = context;
  const { intervalMs = INTERVAL_MS, hostSilenceMs = HOST_SILENCE_MS } = options;
  const listening = new ListeningTime(2 * intervalMs);
  await runPeriodically(log, signal, {
    intervalMs,
    failure: 'due sessions could not be ended; retrying',
    run: async () => {
      if (!bus.isUp) listening.reset();
      const { ended, lostHosts } = await store.reap({
        limit: BATCH,
        // Asked in the transaction, because this process may have stood still since the transaction was requested
        hostSilenceMs: (now) => listening.spanOf(hostSilenceMs, now),
      });
      for (const hostId of lostHosts) log.warn({ hostId }, 'host lost; its phones are offline');
      publishSessions(context, ended);
      return ended.length >= BATCH;
    },
  });
}
