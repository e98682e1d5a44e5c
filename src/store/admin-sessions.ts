import type { Page } from '../contract/page.ts';
import type { FleetSessionQuery, FleetSessionRow } from './admin-store.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from './engine.ts';
import { every, pageOf, pageWith } from './paging.ts';
import { sessionRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** The page is found in an index alone, however deep; only its own rows are read. */
export async function listFleetSessions(
  engine: Engine,
  query: FleetSessionQuery,
): Promise<Page<FleetSessionRow>> {
  const matching = conditions(query);
  return engine.transact(function* (now): Transaction<Page<FleetSessionRow>> {
    const count = yield* first(
      sql<{ total: number }>`select count(*) as total from sessions where ${matching}`,
    );
    const rows = yield* all(
      sql<Tables['sessions'] & { account_name: string; device_name: string }>`
        select s.*, a.name as account_name, d.name as device_name from (
          select id from sessions where ${matching}
          order by created_at desc, id desc ${pageOf(query)}
        ) page
        join sessions s on s.id = page.id
        join accounts a on a.id = s.account_id
        join devices d on d.id = s.device_id
        order by s.created_at desc, s.id desc`,
    );
    const items = rows.map((row) => ({
      ...sessionRow(row, now),
      accountName: row.account_name,
      deviceName: row.device_name,
    }));
    return pageWith(query, count!.total, items);
  });
}

/** Live ones are few, and have indexes of their own, which are found by the words that those have. */
function conditions({ status, deviceId, accountId }: FleetSessionQuery): Sql<unknown> {
  return every([
    ...(accountId === undefined ? [] : [sql`account_id = ${accountId}`]),
    ...(deviceId === undefined ? [] : [sql`device_id = ${deviceId}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(status === undefined || status === 'disconnected' ? [] : [sql`status <> 'disconnected'`]),
  ]);
}
