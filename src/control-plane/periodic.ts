import { setTimeout as delay } from 'node:timers/promises';
import { logUnlessOutage } from '../store/outage-log.ts';
import type { Log } from '../util/log.ts';

export interface PeriodicTask {
  /** Pause between two runs. */
  intervalMs: number;
  /** The log message for a run that threw. An outage of the store is not logged again. */
  failure: string;
  /** Does one bounded batch. Returns true if there is more to do: the next run then follows immediately. */
  run(): Promise<boolean>;
}

/** Repeats a task until the signal is aborted. A run that throws is logged, and repeated after the interval. */
export async function runPeriodically(
  log: Log,
  signal: AbortSignal,
  { intervalMs, failure, run }: PeriodicTask,
): Promise<void> {
  while (!signal.aborted) {
    const isMore = await run().catch((err: unknown) => {
      logUnlessOutage(log, 'error', { err }, failure);
      return false;
    });
    if (!isMore) await delay(intervalMs, undefined, { signal }).catch(() => {});
  }
}
