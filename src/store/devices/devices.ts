import type { Page } from '../../contract/http/page.ts';
import { type Engine, type Sql, sql } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import { deviceRow } from '../rows.ts';
import type { DeviceRow, ListDevicesQuery } from './device-store.ts';
import { countedDevicesFor, visibleTo } from './visibility.ts';

/**
 * The devices that clients can list. The condition is written as in the indexes, which are not used otherwise. A list
 * of two statuses would make SQLite read the devices of each status and sort them all.
 */
const LISTED = sql`status not in ('offline', 'maintenance')`;

/**
 * Reads a page and the total in one statement. The total comes from the aggregated counts. The page is found in an
 * index alone, however high its number, and only the rows of the page are read.
 */
export async function listDevices(engine: Engine, query: ListDevicesQuery): Promise<Page<DeviceRow>> {
  const matching = condition(query);
  const rows = await engine.run(
    sql<{ total: number } & (Tables['devices'] | { id: null })>`
      select counted.total, d.*
      from (select cast(coalesce(sum(n), 0) as bigint) as total from device_counts
        where ${countedDevicesFor(query.accountId)} and ${matching}) counted
      left join (
        select devices.* from devices join (
          select id from devices where ${matching} and ${visibleTo(query.accountId)}
          order by id limit ${query.pageSize} offset ${(query.page - 1) * query.pageSize}
        ) page on page.id = devices.id
      ) d on true
      order by d.id`,
  );
  const items = rows.flatMap((row) => (row.id === null ? [] : [deviceRow(row)]));
  return { total: rows[0]?.total ?? 0, page: query.page, page_size: query.pageSize, items };
}

export async function getDevice(
  engine: Engine,
  deviceId: string,
  accountId: string,
): Promise<DeviceRow | null> {
  const [row] = await engine.run(
    sql<Tables['devices']>`
      select * from devices where id = ${deviceId} and ${LISTED} and ${visibleTo(accountId)}`,
  );
  return row ? deviceRow(row) : null;
}

export async function getDevices(engine: Engine, deviceIds: string[]): Promise<DeviceRow[]> {
  const rows = await engine.run(
    sql<Tables['devices']>`
      select * from devices where id ${engine.dialect.isOneOf(deviceIds)} and ${LISTED}`,
  );
  return rows.map(deviceRow);
}

function condition({ brand, osVersion, status }: ListDevicesQuery): Sql<unknown> {
  let matching = status === undefined ? LISTED : sql`status = ${status}`;
  if (brand !== undefined) matching = sql`brand = ${brand.toLowerCase()} and ${matching}`;
  return osVersion === undefined ? matching : sql`${matching} and os_version = ${osVersion}`;
}
