import type { Page } from '../../contract/http/page.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { countUpTo, every, pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import { sessionRow, type UserColumns, userName } from '../rows.ts';
import type { FleetSessionQuery, FleetSessionRow } from './session-store.ts';

/**
 * The page is found in an index alone, however high its number; only the rows of the page are read. Every joined row
 * exists. The joins are left joins so that the planner starts with the page, and not with all sessions in order.
 */
export async function listFleetSessions(
  engine: Engine,
  query: FleetSessionQuery,
): Promise<Page<FleetSessionRow>> {
  const matching = conditions(query);
  const newestFirst = isLive(query) ? sql`created_at + 0 desc, id desc` : sql`created_at desc, id desc`;
  return engine.transact(function* (now): Transaction<Page<FleetSessionRow>> {
    const count = yield* first(countUpTo(sql`sessions where ${matching}`));
    const rows = yield* all(
      sql<Tables['sessions'] & { account_name: string; current_name: string } & UserColumns>`
        select s.*, a.name as account_name, d.name as current_name, u.id as user_id, u.name as user_name from (
          select id from sessions where ${matching}
          order by ${newestFirst} ${pageOf(query)}
        ) page
        left join sessions s on s.id = page.id
        left join accounts a on a.id = s.account_id
        left join devices d on d.id = s.device_id
        left join keys k on k.id = s.key_id
        left join users u on u.id = k.user_id
        order by s.created_at desc, s.id desc`,
    );
    const items = rows.map((row) => ({
      ...sessionRow(row, now),
      accountName: row.account_name,
      user: userName(row),
      deviceName: row.current_name,
    }));
    return pageWith(query, count!.total, items);
  });
}

/**
 * There are few live sessions, however many have ended. They are found by their own index and then sorted; the
 * expression `created_at + 0` keeps the planner from scanning all sessions in order.
 */
const isLive = ({ status }: FleetSessionQuery) => status !== undefined && status !== 'disconnected';

function conditions(query: FleetSessionQuery): Sql<unknown> {
  const { status, deviceId, accountId } = query;
  return every([
    ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
    ...(deviceId === undefined ? [] : [sql`device_id = ${deviceId}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    // Matches the condition of the index sessions_by_expiry, which contains only live sessions
    ...(isLive(query) ? [sql`status <> 'disconnected' and expires_at > 0`] : []),
  ]);
}
