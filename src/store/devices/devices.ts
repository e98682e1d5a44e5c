import type { Page } from '../../contract/http/page.ts';
import { type Engine, raw, type Sql, sql } from '../engine/engine.ts';
import { pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import { deviceRow } from '../rows.ts';
import type { DeviceDetailsRow, DeviceRow, ListDevicesQuery } from './device-store.ts';
import type { ListPosition } from './list-positions.ts';
import { countedDevicesFor, visibleTo } from './visibility.ts';

/**
 * The devices that clients can list. The condition is written as in the indexes, which are not used otherwise. A list
 * of two statuses would make SQLite read the devices of each status and sort them all.
 */
const LISTED = sql`status not in ('offline', 'maintenance')`;

/** Read for the rows of the result only, by unique indexes. An available device has no session. */
const SESSION_AND_HOST = sql`
  case when d.status = 'busy' then (
    select expires_at from sessions where device_id = d.id and sessions.status <> 'disconnected') end as free_at,
  (select hosts.name from hosts where hosts.id = d.host_id) as host_name`;

/** The page size that is requested most: the default of the API. */
const USUAL_PAGE_SIZE = 20;

type DeviceColumns = Parameters<typeof deviceRow>[0];
type ListedRow = { total: number } & (DeviceColumns | { id: null });

/**
 * Reads a page and the total in one statement. The total comes from the aggregated counts. The page is found in an
 * index alone, however high its number, and only the rows of the page are read. An empty page after the first needs a
 * second statement, because it has no row that contains the total.
 * @param from a position at or before the page, after which the index is read; null: the start of the list
 */
export async function listDevices(
  engine: Engine,
  query: ListDevicesQuery,
  from: ListPosition | null = null,
): Promise<Page<DeviceRow>> {
  const matching = condition(query);
  const following = from ? sql`and id > ${from.id}` : sql``;
  const ids = sql`(
    select id from devices where ${matching} and ${visibleTo(query.accountId)} ${following}
    order by id ${limitOf(query, from?.rank ?? 0)}) page`;
  // A left join, so that the query planner starts with the page and keeps its order.
  const read = (page: Sql<unknown>) =>
    engine.run(
      sql<ListedRow>`
        select d.id, d.name, d.brand, d.model, d.os_version, d.screen_size, d.resolution, d.platform, d.kind,
          d.battery_percent, d.status, d.host_id, d.group_id, ${SESSION_AND_HOST},
          ${totalOf(query, matching)} as total
        from ${page} left join devices d on d.id = page.id
        order by page.id`,
    );
  let rows = await read(ids);
  if (rows.length === 0 && query.page > 1) rows = await read(sql`(select 1) one left join ${ids} on true`);
  const items = rows.flatMap((row) => (row.id === null ? [] : [deviceRow(row)]));
  return pageWith(query, rows[0]?.total ?? 0, items);
}

/** The counts do not distinguish platforms and kinds. */
function totalOf(
  { accountId, platform, kind, group }: ListDevicesQuery,
  matching: Sql<unknown>,
): Sql<unknown> {
  if (platform || kind || group)
    return sql`(select count(*) from devices where ${matching} and ${visibleTo(accountId)})`;
  return sql`(select cast(coalesce(sum(n), 0) as bigint) from device_counts
    where ${countedDevicesFor(accountId)} and ${matching})`;
}

/**
 * PostgreSQL assumes that a limit which it does not know is a tenth of all rows, and then plans the statement again at
 * each use. The usual limit is therefore part of the text.
 */
function limitOf({ page, pageSize }: ListDevicesQuery, rank: number): Sql<unknown> {
  const limit = pageSize === USUAL_PAGE_SIZE ? raw(`limit ${USUAL_PAGE_SIZE}`) : sql`limit ${pageSize}`;
  const skipped = (page - 1) * pageSize - rank;
  return skipped === 0 ? limit : sql`${limit} offset ${skipped}`;
}

export async function getDevice(
  engine: Engine,
  deviceId: string,
  accountId: string,
): Promise<DeviceDetailsRow | null> {
  const [row] = await engine.run(
    sql<DeviceColumns & Pick<Tables['devices'], 'capabilities'>>`
      select d.*, ${SESSION_AND_HOST} from devices d
      where id = ${deviceId} and ${LISTED} and ${visibleTo(accountId)}`,
  );
  return row ? { ...deviceRow(row), capabilities: row.capabilities?.split(' ') ?? null } : null;
}

export async function getDevices(engine: Engine, deviceIds: string[]): Promise<DeviceRow[]> {
  const rows = await engine.run(
    sql<DeviceColumns>`
      select d.*, ${SESSION_AND_HOST} from devices d where id ${engine.dialect.isOneOf(deviceIds)} and ${LISTED}`,
  );
  return rows.map(deviceRow);
}

function condition({
  brand,
  os_version: osVersion,
  status,
  platform,
  kind,
  group,
}: ListDevicesQuery): Sql<unknown> {
  let matching = status ? sql`status = ${status}` : LISTED;
  if (brand) matching = sql`brand = ${brand.toLowerCase()} and ${matching}`;
  if (osVersion) matching = sql`${matching} and os_version = ${osVersion}`;
  if (platform) matching = sql`${matching} and platform = ${platform}`;
  if (group)
    matching = sql`${matching} and group_id in (select g.id from device_groups g where g.id = ${group} or g.name = ${group})`;
  return kind ? sql`${matching} and kind = ${kind}` : matching;
}
