/** Computes what the report of a host changes, without writing any row. */
import type { AppStatus, SessionStatus } from '../../contract/http/session.ts';
import { mayReport } from '../../domain/device-host.ts';
import { assumedKind } from '../../domain/device-kind.ts';
import { deviceStatus } from '../../domain/device-status.ts';
import type { Flag, Tables } from '../engine/tables.ts';
import type { Timestamp } from '../entities.ts';
import { deviceFacts } from '../rows.ts';
import type { DueSession } from '../sessions/ending-statement.ts';
import type { AppReport, Assignment, HostReport, PhoneReport, RefusedPhone } from './host-store.ts';

/** The columns of a device that a report determines. */
export type DeviceColumns = Omit<Tables['devices'], 'claimed_by' | 'claimed_at'>;

/** A device's row, whether its host is revoked, and its live session (columns are null if it has none). */
export type KnownPhone = Tables['devices'] & {
  host_revoked: 0 | 1;
  session_id: string | null;
  session_epoch: number | null;
  session_status: SessionStatus | null;
  session_expires_at: Timestamp | null;
  session_app_id: string | null;
  session_app_request: number | null;
  session_app_status: AppStatus | null;
  /**
   * Whether its host should record it. A host that has finished the recording, because its phone took too long to return
   * after a restart of the host process, must not begin another: its artifacts would have the same names.
   */
  session_record: Flag | null;
  session_record_text: Flag | null;
  /** How much more its account can store, bytes; null: unlimited, or it is not recorded. */
  session_artifact_room: number | null;
};

/** Progress that a host reports for a lease that is live in the store. */
export interface Progress {
  sessionId: string;
  connected: boolean;
  app: AppReport | null;
}

export interface Changes {
  devices: DeviceColumns[];
  ended: DueSession[];
  progress: Progress[];
  /** Reported devices that are rejected. */
  refused: RefusedPhone[];
}

/** @param room how many more devices the host may introduce */
export function reconcile(report: HostReport, known: KnownPhone[], room: number): Changes {
  const changes: Changes = { devices: [], ended: [], progress: [], refused: [] };
  const rows = new Map(known.map((row) => [row.id, row]));
  const reported = new Map(report.phones.map((phone) => [phone.description.id, phone]));
  let left = room;
  for (const phone of reported.values()) {
    const row = rows.get(phone.description.id);
    const refusal = whyRefused(report.hostId, phone, row, left);
    if (refusal) {
      changes.refused.push(refusal);
      continue;
    }
    if (!isIntroducedBy(report.hostId, row)) left -= 1;
    reconcilePhone(report.hostId, phone, row, changes);
  }
  for (const row of report.complete ? known : []) {
    if (row.host_id !== report.hostId || reported.has(row.id)) continue;
    const detail = 'the phone is no longer connected to its host';
    if (row.session_id) changes.ended.push({ sessionId: row.session_id, reason: 'device_lost', detail });
    if (row.present !== 1) continue;
    const forgotten = wasNeverUsable(row) ? 1 : row.forgotten;
    changes.devices.push(withStatus({ ...columns(row), present: 0, forgotten }, false));
  }
  return changes;
}

/**
 * The row stands for a device that had not yet identified itself to its host, for example because it had not
 * authorized the host. Once it does, it gets an identifier that is derived from its serial number. The earlier row
 * would otherwise remain forever.
 */
const wasNeverUsable = (row: KnownPhone) =>
  row.epoch === 0 &&
  row.clean_epoch < 0 &&
  row.own_name === null &&
  row.group_id === null &&
  row.maintenance === 0;

export function isEmpty({ devices, ended, progress }: Changes): boolean {
  return devices.length === 0 && ended.length === 0 && progress.length === 0;
}

function reconcilePhone(
  hostId: string,
  phone: PhoneReport,
  row: KnownPhone | undefined,
  changes: Changes,
): void {
  let live = row?.session_id != null;
  if (row?.session_id && !phone.usable) {
    changes.ended.push({ sessionId: row.session_id, reason: 'device_lost', detail: phone.problem });
    live = false;
  } else if (row?.session_id) {
    const progress = progressOf(row, phone);
    if (progress) changes.progress.push(progress);
  }
  const next = withStatus(nextDevice(hostId, phone, row, live), live);
  if (!row || differs(next, row)) changes.devices.push(next);
}

function whyRefused(
  hostId: string,
  { description: { id: deviceId } }: PhoneReport,
  row: KnownPhone | undefined,
  room: number,
): RefusedPhone | null {
  if (row && !mayReport(hostId, bindingOf(row)))
    return { deviceId, why: { reason: 'other-host', hostId: row.host_id } };
  const isNew = !isIntroducedBy(hostId, row);
  return isNew && room <= 0 ? { deviceId, why: { reason: 'too-many' } } : null;
}

/** Whether the device counts as a device of the host. */
export const isIntroducedBy = (hostId: string, row: KnownPhone | undefined): boolean =>
  row?.host_id === hostId && row.forgotten === 0;

const bindingOf = (row: KnownPhone) => ({
  hostId: row.host_id,
  isHostRevoked: row.host_revoked === 1,
  isForgotten: row.forgotten === 1,
  isLive: row.session_id !== null,
});

/**
 * Returns what the report changes in the live session, or null. Reports about an older or unknown lease are ignored.
 */
function progressOf(row: KnownPhone, { lease }: PhoneReport): Progress | null {
  if (!lease || lease.sessionId !== row.session_id || lease.epoch !== row.session_epoch) return null;
  const connected = lease.connected && row.session_status === 'connecting';
  // A report about an earlier app request is outdated
  const isNew =
    lease.app?.request === row.session_app_request && lease.app?.status !== row.session_app_status;
  const app = isNew ? lease.app : null;
  return connected || app ? { sessionId: lease.sessionId, connected, app } : null;
}

/**
 * Epochs only increase, so a late report about an older epoch changes nothing. If a host knows higher epochs
 * than the rows (because the database was restored from a backup), the rows are raised to them; otherwise the host
 * would reject every new lease. While a device has a live session it cannot be clean for that session's epoch.
 */
function nextDevice(
  hostId: string,
  phone: PhoneReport,
  row: KnownPhone | undefined,
  live: boolean,
): DeviceColumns {
  const reportedEpoch = Math.max(phone.cleanEpoch ?? 0, phone.lease?.epoch ?? 0);
  const held = row?.session_id != null;
  const epoch = held ? row.epoch : Math.max(row?.epoch ?? 0, reportedEpoch);
  const clean = Math.min(phone.cleanEpoch ?? -1, held || live ? epoch - 1 : epoch);
  return {
    ...phone.description,
    platform: phone.description.platform ?? 'android',
    kind: phone.description.kind ?? assumedKind(phone.description.id),
    battery_percent: phone.description.battery_percent ?? null,
    capabilities: phone.capabilities?.join(' ') ?? null,
    ...nameOf(phone, row),
    brand: phone.description.brand.toLowerCase(),
    host_id: hostId,
    epoch,
    clean_epoch: Math.max(row?.clean_epoch ?? -1, clean),
    present: 1,
    usable: phone.usable ? 1 : 0,
    problem: phone.problem,
    maintenance: row?.maintenance ?? 0,
    maintenance_note: row?.maintenance_note ?? null,
    forgotten: 0,
    group_id: row?.group_id ?? null,
    status: 'busy',
  };
}

/** Keeps a name that an operator set; the name that the device reports is stored beside it. */
function nameOf(
  { description }: PhoneReport,
  row: KnownPhone | undefined,
): Pick<Tables['devices'], 'name' | 'own_name'> {
  const isRenamed = row !== undefined && row.own_name !== null;
  return isRenamed
    ? { name: row.name, own_name: description.name }
    : { name: description.name, own_name: null };
}

const withStatus = (device: DeviceColumns, live: boolean): DeviceColumns => ({
  ...device,
  status: deviceStatus(deviceFacts(device, live)),
});

function differs(next: DeviceColumns, row: DeviceColumns): boolean {
  return (Object.keys(next) as (keyof DeviceColumns)[]).some((column) => next[column] !== row[column]);
}

/** The device's own columns, without the joined ones. */
function columns(row: KnownPhone): DeviceColumns {
  const { id, host_id, name, brand, model, os_version, screen_size, resolution } = row;
  const { epoch, clean_epoch, present, usable, problem, maintenance, status } = row;
  const { maintenance_note, own_name, forgotten, group_id, platform, kind, capabilities, battery_percent } =
    row;
  return {
    id,
    host_id,
    name,
    brand,
    model,
    os_version,
    screen_size,
    resolution,
    epoch,
    clean_epoch,
    present,
    usable,
    problem,
    maintenance,
    status,
    maintenance_note,
    own_name,
    forgotten,
    group_id,
    platform,
    kind,
    capabilities,
    battery_percent,
  };
}

export function assignmentOf(row: KnownPhone, now: Timestamp): Assignment {
  const { id, epoch, session_id, session_epoch, session_expires_at, session_app_id, session_app_request } =
    row;
  const lease = session_id && {
    sessionId: session_id,
    epoch: session_epoch ?? epoch,
    remainingMs: Math.max(0, (session_expires_at ?? now) - now),
    app: session_app_id === null ? null : { appId: session_app_id, request: session_app_request ?? 0 },
    recording:
      row.session_record === 1
        ? { text: row.session_record_text === 1, maxBytes: row.session_artifact_room }
        : null,
  };
  return { deviceId: id, epoch, cleanEpoch: row.clean_epoch, lease: lease || null };
}
