/** The statements that apply what the report of a host changes. */
import { all, list, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import type { DeviceColumns, Progress } from './reconcile.ts';

/** Rows per insert. Each row has 20 parameters; PostgreSQL allows 65,535 parameters and SQLite 32,766. */
const ROWS_PER_INSERT = 1_000;

/** The statements are written out by hand because every cleanup runs one, and a query builder takes milliseconds. */
const INSERT_DEVICES = sql`
    insert into devices (id, host_id, name, brand, model, os_version, screen_size,
      resolution, epoch, clean_epoch, present, usable, problem, status, own_name, forgotten,
      platform, kind, capabilities, battery_percent)`;

/** The maintenance flag and note that an operator set stay unchanged. */
const REPLACE_DEVICE = sql`
    on conflict (id) do update set host_id = excluded.host_id, name = excluded.name, brand = excluded.brand,
      model = excluded.model, os_version = excluded.os_version, screen_size = excluded.screen_size,
      resolution = excluded.resolution, epoch = excluded.epoch, clean_epoch = excluded.clean_epoch,
      present = excluded.present, usable = excluded.usable, problem = excluded.problem, status = excluded.status,
      own_name = excluded.own_name, forgotten = excluded.forgotten, platform = excluded.platform,
      kind = excluded.kind, capabilities = excluded.capabilities,
      battery_percent = excluded.battery_percent`;

const valuesOf = (d: DeviceColumns): Sql<unknown> => sql`
      ${d.id}, ${d.host_id}, ${d.name}, ${d.brand}, ${d.model}, ${d.os_version}, ${d.screen_size},
      ${d.resolution}, ${d.epoch}, ${d.clean_epoch}, ${d.present}, ${d.usable}, ${d.problem}, ${d.status},
      ${d.own_name}, ${d.forgotten}, ${d.platform}, ${d.kind}, ${d.capabilities}, ${d.battery_percent}`;

/** Inserts devices. Fails if one of them exists. */
export const insertDevices = (devices: DeviceColumns[]): Transaction<void> => writeDevices(devices, sql``);

/** Updates the columns of devices that reports determine, in one statement, so that all counts change in one order. */
export const replaceDevices = (devices: DeviceColumns[]): Transaction<void> =>
  writeDevices(devices, REPLACE_DEVICE);

function* writeDevices(devices: DeviceColumns[], onConflict: Sql<unknown>): Transaction<void> {
  for (let at = 0; at < devices.length; at += ROWS_PER_INSERT) {
    const rows = devices.slice(at, at + ROWS_PER_INSERT).map((device) => sql`(${valuesOf(device)})`);
    yield* all(sql`${INSERT_DEVICES} values ${list(rows)} ${onConflict}`);
  }
}

/**
 * Updates the columns of a device that reports determine, if the columns from which they were computed are still those of
 * `row`. Returns no row otherwise. A change of the device's live session need not be checked: a connect changes the epoch,
 * and an end that changes what a report would write changes the status.
 */
export const replaceUnchanged = (next: DeviceColumns, row: DeviceColumns): Sql<{ id: string }> => sql`
    ${INSERT_DEVICES}
    select ${valuesOf(next)} where exists (select 1 from devices where id = ${row.id})
    ${REPLACE_DEVICE}
    where devices.epoch = ${row.epoch} and devices.clean_epoch = ${row.clean_epoch} and devices.status = ${row.status}
      and devices.maintenance = ${row.maintenance} and devices.host_id = ${row.host_id}
      and devices.forgotten = ${row.forgotten} and devices.name = ${row.name}
      and devices.own_name is not distinct from ${row.own_name}
    returning id`;

/** Applies the progress of a session. Returns no row if the session has ended, or was already connected. */
export function progressed({ sessionId, connected, app }: Progress, now: Timestamp): Sql<Tables['sessions']> {
  return sql`
    update sessions set
      ${connected ? sql`status = 'connected', connected_at = ${now}` : sql``} ${connected && app ? sql`,` : sql``}
      ${app ? sql`app_status = ${app.status}, app_error = ${app.error}` : sql``}
    where id = ${sessionId} and status ${connected ? sql`= 'connecting'` : sql`<> 'disconnected'`}
    returning *`;
}
