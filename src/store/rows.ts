import type { DeviceDescription } from '../contract/http/device.ts';
import type { UserName } from '../contract/http/user-name.ts';
import type { DeviceFacts } from '../domain/device-status.ts';
import type { AppRow } from './apps/app-store.ts';
import type { ArtifactRow } from './artifacts/artifact-store.ts';
import type { DeviceRow } from './devices/device-store.ts';
import type { Flag, Tables } from './engine/tables.ts';
import type { AccountRow, KeyRow, SessionRow, Timestamp } from './entities.ts';

/** Converts rows as stored in the tables to what callers of the store get. */
export function accountRow(row: Tables['accounts']): AccountRow {
  return {
    id: row.id,
    name: row.name,
    quotaMinutes: row.quota_minutes,
    maxSessions: row.max_sessions,
    maxAppBytes: row.max_app_bytes,
    recordSessions: row.record_sessions === 1,
    maxArtifactBytes: row.max_artifact_bytes,
    artifactDays: row.artifact_days,
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
  };
}

export type KeyWithOwner = Tables['keys'] & UserColumns & { account_name: string };

export function keyRow(row: KeyWithOwner): KeyRow {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    name: row.name,
    role: row.role,
    prefix: row.prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    lastUsedFrom: row.last_used_from,
    user: userName(row),
    signedIn: row.signed_in === 1,
  };
}

/** Columns of a left join with `users`. */
export interface UserColumns {
  user_id: string | null;
  user_name: string | null;
}

export const userName = ({ user_id: id, user_name: name }: UserColumns): UserName | null =>
  id === null || name === null ? null : { id, name };

export function appRow(row: Tables['apps']): AppRow {
  return {
    id: row.id,
    accountId: row.account_id,
    sha256: row.sha256,
    size: row.size,
    storedSize: row.stored_size ?? row.size,
    packageName: row.package,
    name: row.name,
    version: row.version,
    versionCode: row.version_code,
    minSdk: row.min_sdk,
    iconType: row.icon_type,
    createdAt: row.created_at,
  };
}

type ShownColumn = keyof DeviceDescription | 'status' | 'host_id' | 'group_id';

/** Only for a device that is available or busy. */
export function deviceRow(
  row: Pick<Tables['devices'], ShownColumn> & { free_at: Timestamp | null; host_name: string },
): DeviceRow {
  const { id, name, brand, model, os_version, screen_size, resolution, platform, kind, battery_percent } =
    row;
  const status = row.status === 'available' ? 'available' : 'busy';
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
    status,
    freeAt: row.free_at,
    hostId: row.host_id,
    hostName: row.host_name,
    groupId: row.group_id,
  };
}

/**
 * The row of a session that a statement changed, as JSON: a driver reads one value faster than the name, the type and the
 * value of each of three dozen columns.
 */
export interface ChangedSession {
  row: Tables['sessions'];
}

/** The row of a session, and the time on the store's clock at which it was read. */
export type TimedSession = Tables['sessions'] & { now: Timestamp };

export function sessionRow(row: Tables['sessions'], now: Timestamp): SessionRow {
  return {
    id: row.id,
    deviceId: row.device_id,
    deviceName: row.device_name,
    deviceModel: row.device_model,
    hostId: row.host_id,
    accountId: row.account_id,
    keyId: row.key_id,
    createdBy: row.creator_name === null ? null : { userId: row.creator_id, name: row.creator_name },
    epoch: row.epoch,
    status: row.status,
    createdAt: row.created_at,
    connectedAt: row.connected_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    endDetail: row.end_detail,
    appId: row.app_id,
    appStatus: row.app_status,
    appError: row.app_error,
    appRequest: row.app_request,
    recording: row.record === 1 ? recordingOf(row) : null,
    minutesReserved: row.minutes_reserved,
    minutesCharged: row.minutes_charged,
    remainingMs: row.expires_at - now,
  };
}

export const flagOf = (value: boolean): Flag => (value ? 1 : 0);

/** null: as the account's default says. */
export const recordFlag = (record: boolean | null): Flag | null => (record === null ? null : flagOf(record));

const recordingOf = (row: Tables['sessions']): SessionRow['recording'] => ({
  text: row.record_text === 1,
  isFinished: row.recording_finished_at !== null,
  detail: row.recording_detail,
  artifacts: row.recording_artifacts,
});

export function artifactRow(row: Tables['artifacts']): ArtifactRow {
  return {
    id: row.id,
    sessionId: row.session_id,
    accountId: row.account_id,
    name: row.name,
    kind: row.kind,
    size: row.size,
    offsetMs: row.offset_ms,
    durationMs: row.duration_ms,
    width: row.width,
    height: row.height,
    createdAt: row.created_at,
  };
}

/** The input of deviceStatus() for a device row. */
export function deviceFacts(
  row: Pick<Tables['devices'], 'maintenance' | 'present' | 'usable' | 'epoch' | 'clean_epoch'>,
  live: boolean,
): DeviceFacts {
  return {
    live,
    maintenance: row.maintenance === 1,
    present: row.present === 1,
    usable: row.usable === 1,
    epoch: row.epoch,
    cleanEpoch: row.clean_epoch,
  };
}
