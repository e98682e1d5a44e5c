import type { Page } from '../../contract/http/page.ts';
import type { SessionStatus } from '../../contract/http/session.ts';
import { CLAIM_LASTS_MS } from '../../domain/device-host.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { every, pageOf, pageWith } from '../engine/paging.ts';
import type { Flag, Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { type UserColumns, userName } from '../rows.ts';
import type { DeviceChange, DeviceChangeRefusal, FleetDeviceQuery, FleetDeviceRow } from './device-store.ts';
import { FREE_DEVICE_STATUS } from './free-device-status.ts';
import { lockGroup } from './groups.ts';

type DeviceTable = Tables['devices'];

type FleetDeviceColumns = DeviceTable &
  UserColumns & {
    host_name: string;
    host_lost: Flag;
    host_revoked_at: Timestamp | null;
    session_id: string | null;
    session_status: SessionStatus | null;
    session_account: string | null;
    session_account_name: string | null;
    session_created_at: Timestamp | null;
    session_expires_at: Timestamp | null;
    last_ended_at: Timestamp | null;
    group_name: string | null;
    claimant: string | null;
  };

const IS_LIVE = sql`exists (
  select 1 from sessions where device_id = devices.id and sessions.status <> 'disconnected')`;

export async function listFleetDevices(
  engine: Engine,
  query: FleetDeviceQuery,
): Promise<Page<FleetDeviceRow>> {
  const matching = conditions(query);
  return engine.transact(function* (now): Transaction<Page<FleetDeviceRow>> {
    const count = yield* first(
      sql<{ total: number }>`select count(*) as total from devices where ${matching}`,
    );
    const page = sql`select id from devices where ${matching} order by id ${pageOf(query)}`;
    const rows = yield* all(fleetDevices(page, now));
    return pageWith(query, count!.total, rows.map(fleetDevice));
  });
}

export async function getFleetDevice(engine: Engine, deviceId: string): Promise<FleetDeviceRow | null> {
  return engine.transact((now) => readFleetDevice(deviceId, now));
}

/** A renamed device keeps the name that it reports in `own_name`, so that the rename can be undone. */
export async function updateDevice(
  engine: Engine,
  change: DeviceChange,
  audit?: AuditEvent,
): Promise<FleetDeviceRow | DeviceChangeRefusal | null> {
  const { deviceId, groupId, hostId } = change;
  return audited(engine, audit, function* (now, record): Transaction<
    FleetDeviceRow | DeviceChangeRefusal | null
  > {
    const row = yield* lockDevice(engine, deviceId);
    if (!row) return null;
    const isMoved = hostId !== undefined && hostId !== row.host_id;
    if (isMoved && row.live === 1) return 'in-use';
    if (isMoved && !(yield* isKnownHost(hostId))) return 'no-such-host';
    if (groupId && !(yield* lockGroup(engine, groupId))) return 'no-such-group';
    const maintenance = change.maintenance ?? row.maintenance === 1;
    const note = change.maintenanceNote === undefined ? row.maintenance_note : change.maintenanceNote;
    const named = change.name === undefined ? row : renamed(row, change.name);
    yield* all(
      sql`update devices set name = ${named.name}, own_name = ${named.own_name},
        maintenance = ${maintenance ? 1 : 0}, maintenance_note = ${maintenance ? note : null},
        group_id = ${groupId === undefined ? row.group_id : groupId},
        host_id = ${isMoved ? hostId : row.host_id}, present = ${isMoved ? 0 : row.present},
        claimed_by = ${isMoved ? null : row.claimed_by}, claimed_at = ${isMoved ? null : row.claimed_at}
        where id = ${deviceId}`,
    );
    // A device with a live session stays busy. Its new status takes effect when the session ends.
    yield* all(
      sql`update devices set status = ${FREE_DEVICE_STATUS} where id = ${deviceId} and not ${IS_LIVE}`,
    );
    yield* record(
      { kind: 'device', id: deviceId },
      ...(groupId ? [{ kind: 'group' as const, id: groupId }] : []),
      ...(isMoved ? [{ kind: 'host' as const, id: hostId }] : []),
    );
    return yield* readFleetDevice(deviceId, now);
  });
}

function* isKnownHost(hostId: string): Transaction<boolean> {
  const row = yield* first(
    sql<{ id: string }>`select id from hosts where id = ${hostId} and revoked_at is null`,
  );
  return row !== undefined;
}

function renamed(row: DeviceTable, name: string | null): Pick<DeviceTable, 'name' | 'own_name'> {
  const own = row.own_name ?? row.name;
  return name === null ? { name: own, own_name: null } : { name, own_name: own };
}

/** Keeps the row, because sessions refer to it. The device is in no list until a host reports it again. */
export async function deleteDevice(
  engine: Engine,
  deviceId: string,
  audit?: AuditEvent,
): Promise<'forgotten' | 'present' | 'in-use' | null> {
  return audited(engine, audit, function* (_now, record): Transaction<
    'forgotten' | 'present' | 'in-use' | null
  > {
    const row = yield* lockDevice(engine, deviceId);
    if (!row) return null;
    if (row.live === 1) return 'in-use';
    if (row.present === 1) return 'present';
    yield* all(sql`update devices set forgotten = 1 where id = ${deviceId}`);
    yield* record({ kind: 'device', id: deviceId });
    return 'forgotten';
  });
}

/** Locks the row first, and only then reads whether the device has a live session. */
function* lockDevice(
  { dialect }: Engine,
  deviceId: string,
): Transaction<(DeviceTable & { live: Flag }) | undefined> {
  const wanted = sql`devices where id = ${deviceId} and forgotten = 0`;
  yield* all(sql`select id from ${wanted} ${dialect.forUpdate}`);
  return yield* first(
    sql<DeviceTable & { live: Flag }>`
      select devices.*, case when ${IS_LIVE} then 1 else 0 end as live from ${wanted}`,
  );
}

function* readFleetDevice(deviceId: string, now: Timestamp): Transaction<FleetDeviceRow | null> {
  const row = yield* first(
    fleetDevices(sql`select id from devices where id = ${deviceId} and forgotten = 0`, now),
  );
  return row ? fleetDevice(row) : null;
}

/**
 * `page` is a subquery of identifiers, so that only those rows are read. The joins are left joins, so that the query
 * planner starts with that subquery.
 */
function fleetDevices(page: Sql<unknown>, now: Timestamp): Sql<FleetDeviceColumns> {
  return sql`
    select d.*, c.name as claimant, g.name as group_name, h.name as host_name, h.lost as host_lost, h.revoked_at as host_revoked_at,
      s.id as session_id, s.status as session_status, s.account_id as session_account,
      a.name as session_account_name, u.id as user_id, u.name as user_name, s.created_at as session_created_at, s.expires_at as session_expires_at,
      (select b.ended_at from sessions b where b.device_id = d.id and b.status = 'disconnected'
        order by b.created_at desc limit 1) as last_ended_at
    from (${page}) page
    left join devices d on d.id = page.id
    left join hosts h on h.id = d.host_id
    left join hosts c on c.id = d.claimed_by and c.id <> d.host_id and d.claimed_at > ${now - CLAIM_LASTS_MS}
    left join device_groups g on g.id = d.group_id
    left join sessions s on s.device_id = d.id and s.status <> 'disconnected'
    left join accounts a on a.id = s.account_id
    left join keys k on k.id = s.key_id
    left join users u on u.id = k.user_id
    order by d.id`;
}

function conditions({ condition, hostId, groupId, brand, search }: FleetDeviceQuery): Sql<unknown> {
  return every([
    sql`forgotten = 0`,
    ...(condition === undefined ? [] : [sql`status = ${condition}`]),
    ...(hostId === undefined ? [] : [sql`host_id = ${hostId}`]),
    ...(groupId === undefined ? [] : [groupId === null ? sql`group_id is null` : sql`group_id = ${groupId}`]),
    ...(brand === undefined ? [] : [sql`brand = ${brand.toLowerCase()}`]),
    ...(search === undefined ? [] : [containing(search)]),
  ]);
}

/** The database folds the case of both sides, so that the same rules apply to both. */
function containing(search: string): Sql<unknown> {
  const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const has = (column: Sql<unknown>) => sql`lower(${column}) like lower(${pattern}) escape '\\'`;
  return sql`(${has(sql`name`)} or ${has(sql`model`)} or ${has(sql`id`)})`;
}

function fleetDevice(row: FleetDeviceColumns): FleetDeviceRow {
  const { id, name, brand, model, os_version, screen_size, resolution, platform, kind, battery_percent } =
    row;
  return {
    id,
    name,
    brand,
    model,
    os_version,
    screen_size,
    resolution,
    platform,
    kind,
    battery_percent,
    ownName: row.own_name ?? name,
    condition: row.status,
    isClean: row.clean_epoch >= row.epoch,
    present: row.present === 1,
    maintenance: row.maintenance === 1,
    maintenanceNote: row.maintenance_note,
    problem: row.problem,
    host: {
      id: row.host_id,
      name: row.host_name,
      lost: row.host_lost === 1,
      revokedAt: row.host_revoked_at,
    },
    claimedBy: row.claimant === null ? null : { id: row.claimed_by ?? '', name: row.claimant },
    session: row.session_id === null ? null : { ...liveSession(row as LiveColumns), user: userName(row) },
    lastSessionEndedAt: row.last_ended_at,
    group: row.group_id === null ? null : { id: row.group_id, name: row.group_name ?? '' },
  };
}

/** The columns of a device that has a live session. */
type LiveColumns = { [K in keyof FleetDeviceColumns]: NonNullable<FleetDeviceColumns[K]> };

const liveSession = (row: LiveColumns) => ({
  id: row.session_id,
  status: row.session_status,
  accountId: row.session_account,
  accountName: row.session_account_name,
  createdAt: row.session_created_at,
  expiresAt: row.session_expires_at,
});
