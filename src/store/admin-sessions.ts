import type { Page } from '../contract/page.ts';
import type { FleetSessionQuery, FleetSessionRow } from './admin-store.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from './engine.ts';
import { countUpTo, every, pageOf, pageWith } from './paging.ts';
import { sessionRow, type UserColumns, userName } from './rows.ts';
import type { Tables } from './tables.ts';

/**
 * The page is found in an index alone, however deep; only its own rows are read. Each has all that is joined to it: the
 * joins are left ones so that the engine begins with the page, and not with all sessions in order.
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
      sql<Tables['sessions'] & { account_name: string; device_name: string } & UserColumns>`
        select s.*, a.name as account_name, d.name as device_name, u.id as user_id, u.name as user_name from (
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
      deviceName: row.device_name,
    }));
    return pageWith(query, count!.total, items);
  });
}

/** Few, however many there were: they are found by their own index and sorted, not looked for among all in order. */
const isLive = ({ status }: FleetSessionQuery) => status !== undefined && status !== 'disconnected';

function conditions(query: FleetSessionQuery): Sql<unknown> {
  const { status, deviceId, accountId } = query;
  return every([
    ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
    ...(deviceId === undefined ? [] : [sql`device_id = ${deviceId}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    // In the words of the index sessions_by_expiry, which has the live ones alone
    ...(isLive(query) ? [sql`status <> 'disconnected' and expires_at > 0`] : []),
  ]);
}
