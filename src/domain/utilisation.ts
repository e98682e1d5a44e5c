export const HOUR_MS = 3_600_000;

/**
 * Sessions that began in the same hour and ended in the same hour, aggregated. Hours are Unix milliseconds divided by
 * `HOUR_MS`.
 */
export interface SessionsByHours {
  first: number;
  last: number;
  count: number;
  /** Sum over the sessions of the time from the beginning of the first hour until the session began, ms. */
  beganAfterMs: number;
  /** Sum over the sessions of the time from the beginning of the last hour until the session ended, ms. */
  endedAfterMs: number;
}

/** Use of the fleet in one hour. */
export interface HourOfUse {
  /** When the hour begins, Unix milliseconds. */
  startsAt: number;
  inUseMs: number;
  /** Sum over the sampled minutes of the number of phones offered. */
  offeredMinutes: number;
  sampledMinutes: number;
}

/** Computes how long phones were in use in each hour from `from` to `to` (inclusive): hour → milliseconds. */
export function useByHour(groups: SessionsByHours[], from: number, to: number): Map<number, number> {
  const use = new Map<number, number>();
  const add = (hour: number, ms: number) => {
    if (hour >= from && hour <= to) use.set(hour, (use.get(hour) ?? 0) + ms);
  };
  for (const { first, last, count, beganAfterMs, endedAfterMs } of groups) {
    if (first === last) {
      add(first, endedAfterMs - beganAfterMs);
      continue;
    }
    add(first, count * HOUR_MS - beganAfterMs);
    for (let hour = Math.max(first + 1, from); hour < Math.min(last, to + 1); hour += 1) {
      add(hour, count * HOUR_MS);
    }
    add(last, endedAfterMs);
  }
  return use;
}
