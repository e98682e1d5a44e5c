import type { UsageDays } from '../../contract/http/usage-days.ts';
import { monthOf, startOfMonth, startOfNextMonth } from '../../domain/month.ts';
import { all, type Engine, sql, type Transaction } from '../engine/engine.ts';

const DAY_MS = 86_400_000;

interface Day {
  day: number;
  sessions: number;
  minutes: number;
  reserved: number;
}

/** Uses the index on the account's sessions, so that only the sessions of the month are read. */
export async function listUsageDays(engine: Engine, accountId: string, month?: string): Promise<UsageDays> {
  return engine.transact(function* (now): Transaction<UsageDays> {
    const asked = month ?? monthOf(now);
    const [from, to] = [startOfMonth(asked), startOfNextMonth(asked)];
    const rows = yield* all(
      sql<Day>`
        select created_at / 86400000 as day, count(*) as sessions,
          cast(coalesce(sum(minutes_charged), 0) as bigint) as minutes,
          cast(sum(case when minutes_charged is null then minutes_reserved else 0 end) as bigint) as reserved
        from sessions where account_id = ${accountId} and created_at >= ${from} and created_at < ${to}
        group by 1`,
    );
    const found = new Map(rows.map((row) => [row.day, row]));
    const days = Array.from({ length: (to - from) / DAY_MS }, (_, at) => {
      const { sessions = 0, minutes = 0, reserved = 0 } = found.get(from / DAY_MS + at) ?? {};
      const date = new Date(from + at * DAY_MS).toISOString().slice(0, 10);
      return { date, sessions, minutes, reserved };
    });
    return { month: asked, days };
  });
}
