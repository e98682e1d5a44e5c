export const HOUR_MS = 3_600_000;

/** Sessions that began in one hour and ended in one hour (Unix milliseconds divided by `HOUR_MS`), taken together. */
export interface SessionsByHours {
  first: number;
  last: number;
  count: number;
  /** Sum of the milliseconds from the beginning of the first hour until each began. */
  beganAfterMs: number;
  /** Sum of the milliseconds from the beginning of the last hour until each ended. */
  endedAfterMs: number;
}

/** One hour of the fleet. */
export interface HourOfUse {
  /** When it begins, Unix milliseconds. */
  startsAt: number;
  inUseMs: number;
  /** The sum over its sampled minutes of the phones that were offered. */
  offeredMinutes: number;
  sampledMinutes: number;
}

/** How long phones were in use in each hour from `from` to `to`, both included: hour → milliseconds. */
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
