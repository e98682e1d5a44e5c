import { HIGHEST_MAX_DURATION } from '../../contract/http/session.ts';
import { MAX_UTILISATION_HOURS } from '../../contract/http/utilisation.ts';
import { HOUR_MS, type HourOfUse, type SessionsByHours, useByHour } from '../../domain/utilisation.ts';
import { all, type Engine, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';

const MINUTE_MS = 60_000;
const MAX_SESSION_MS = HIGHEST_MAX_DURATION * MINUTE_MS;

/**
 * Past device counts cannot be derived from other rows, so they are sampled. There is one row per hour. The
 * first process in each minute adds the current device counts to it; the others find that minute already counted, and
 * write nothing.
 */
export async function sampleFleet(engine: Engine): Promise<void> {
  await engine.transact(function* (now): Transaction<void> {
    const [hour, minute] = [Math.floor(now / HOUR_MS), Math.floor(now / MINUTE_MS)];
    const [offered] = yield* all(
      sql<{ phones: number }>`
        select cast(coalesce(sum(n), 0) as bigint) as phones from device_counts
        where status in ('available', 'busy')`,
    );
    yield* all(
      sql`insert into fleet_hours (hour, minute, sampled, offered) values (${hour}, ${minute}, 1, ${offered!.phones})
        on conflict (hour) do update set minute = excluded.minute, sampled = fleet_hours.sampled + 1,
          offered = fleet_hours.offered + excluded.offered
        where fleet_hours.minute < excluded.minute`,
    );
    yield* all(sql`delete from fleet_hours where hour < ${hour - MAX_UTILISATION_HOURS}`);
  });
}

export async function getUtilisation(engine: Engine, hours: number): Promise<HourOfUse[]> {
  return engine.transact(function* (now): Transaction<HourOfUse[]> {
    const to = Math.floor(now / HOUR_MS);
    const from = to - hours + 1;
    const use = useByHour(yield* all(sessionsByHours(from * HOUR_MS, now)), from, to);
    const rows = yield* all(sql<Tables['fleet_hours']>`select * from fleet_hours where hour >= ${from}`);
    const sampled = new Map(rows.map((row) => [row.hour, row]));
    return Array.from({ length: hours }, (_, at) => {
      const hour = from + at;
      const { offered = 0, sampled: minutes = 0 } = sampled.get(hour) ?? {};
      return {
        startsAt: hour * HOUR_MS,
        inUseMs: use.get(hour) ?? 0,
        offeredMinutes: offered,
        sampledMinutes: minutes,
      };
    });
  });
}

/**
 * The sessions that were live at some time after `since`, aggregated by hours so that few rows are returned. Uses the
 * index on the start time, which also bounds the end time because no session is longer than a week.
 */
function sessionsByHours(since: number, now: number): Sql<SessionsByHours> {
  return sql`
    select first, last, count(*) as count, cast(sum(began - first * 3600000) as bigint) as "beganAfterMs",
      cast(sum(ended - last * 3600000) as bigint) as "endedAfterMs"
    from (
      select began, ended, began / 3600000 as first, ended / 3600000 as last from (
        select created_at as began, coalesce(ended_at, cast(${now} as bigint)) as ended from sessions
        where created_at >= ${since - MAX_SESSION_MS} and created_at <= ${now}
      ) each_session
      where ended >= ${since}
    ) in_hours
    group by first, last`;
}
