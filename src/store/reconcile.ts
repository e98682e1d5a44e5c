/** What a host's report changes, worked out without touching a row. */
import type { AppStatus, SessionStatus } from '../contract/session.ts';
import { mayReport } from '../domain/device-host.ts';
import { deviceStatus } from '../domain/device-status.ts';
import type { DueSession } from './ending.ts';
import type { RefusedPhone } from './host-report.ts';
import { deviceFacts } from './rows.ts';
import type { AppReport, Assignment, HostReport, PhoneReport, Timestamp } from './store.ts';
import type { Tables } from './tables.ts';

/** What a report decides of a row. */
type DeviceColumns = Omit<Tables['devices'], 'claimed_by' | 'claimed_at'>;

/** A phone's row, whether its host was revoked, and its live session (null columns: none). */
export type KnownPhone = Tables['devices'] & {
  host_revoked: 0 | 1;
  session_id: string | null;
  session_epoch: number | null;
  session_status: SessionStatus | null;
  session_expires_at: Timestamp | null;
  session_app_id: string | null;
  session_app_request: number | null;
  session_app_status: AppStatus | null;
};

/** What a host said of a lease that the rows hold to be live. */
export interface Progress {
  sessionId: string;
  connected: boolean;
  app: AppReport | null;
}

export interface Changes {
  devices: DeviceColumns[];
  ended: DueSession[];
  progress: Progress[];
  /** Reported phones that are not taken. */
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
 * The row stood for a phone that had not told its host what it is, such as one that had not authorized the host. When
 * it does, it gets the identifier of its own serial number, and the row that it had before would stay for ever.
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

/** Whether the device is counted among those of the host. */
export const isIntroducedBy = (hostId: string, row: KnownPhone | undefined): boolean =>
  row?.host_id === hostId && row.forgotten === 0;

const bindingOf = (row: KnownPhone) => ({
  hostId: row.host_id,
  isHostRevoked: row.host_revoked === 1,
  isForgotten: row.forgotten === 1,
  isLive: row.session_id !== null,
});

/** What is new about a live session, if anything. What is said of an older or unknown lease is not. */
function progressOf(row: KnownPhone, { lease }: PhoneReport): Progress | null {
  if (!lease || lease.sessionId !== row.session_id || lease.epoch !== row.session_epoch) return null;
  const connected = lease.connected && row.session_status === 'connecting';
  // What a host says of an app that was asked for before the last one is old news
  const isNew =
    lease.app?.request === row.session_app_request && lease.app?.status !== row.session_app_status;
  const app = isNew ? lease.app : null;
  return connected || app ? { sessionId: lease.sessionId, connected, app } : null;
}

/**
 * Epochs only grow: what a late report says of an older one changes nothing. A host that knows more leases than the
 * rows (they were restored from a backup) raises them, or it would refuse every lease to come. While a session is
 * live its phone cannot be clean of it.
 */
function nextDevice(
  hostId: string,
  phone: PhoneReport,
  row: KnownPhone | undefined,
  live: boolean,
): DeviceColumns {
  const heard = Math.max(phone.cleanEpoch ?? 0, phone.lease?.epoch ?? 0);
  const held = row?.session_id != null;
  const epoch = held ? row.epoch : Math.max(row?.epoch ?? 0, heard);
  const clean = Math.min(phone.cleanEpoch ?? -1, held || live ? epoch - 1 : epoch);
  return {
    ...phone.description,
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

/** A name that an operator gave stays; what the phone calls itself is kept beside it. */
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

/** The row's own columns, without those that the read joined to it. */
function columns(row: KnownPhone): DeviceColumns {
  const { id, host_id, name, brand, model, os_version, screen_size, resolution } = row;
  const { epoch, clean_epoch, present, usable, problem, maintenance, status } = row;
  const { maintenance_note, own_name, forgotten, group_id } = row;
  return {
    ...{ id, host_id, name, brand, model, os_version, screen_size, resolution },
    ...{ epoch, clean_epoch, present, usable, problem, maintenance, status },
    ...{ maintenance_note, own_name, forgotten, group_id },
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
  };
  return { deviceId: id, epoch, cleanEpoch: row.clean_epoch, lease: lease || null };
}
