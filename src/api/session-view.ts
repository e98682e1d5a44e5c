import type { Session } from '../contract/session.ts';
import type { Role, SessionRow } from '../store/store.ts';
import type { SocketPurpose } from '../util/socket-token.ts';
import type { ApiContext } from './implement.ts';
import { iso, isoOrNull } from './iso.ts';

/**
 * A session as its client sees it. The addresses carry tokens: they are secrets of the account, and those that act on the
 * phone are not for who may only look.
 */
export function toSession(
  { origins, tokenKeys }: Pick<ApiContext, 'origins' | 'tokenKeys'>,
  row: SessionRow,
  role: Role,
): Session {
  const mayAct = role !== 'viewer';
  const address = (purpose: SocketPurpose, host: keyof typeof origins) =>
    `${origins[host]}/${purpose}/${tokenKeys.sign(purpose, row.id, row.epoch)}/${row.id}`;
  return {
    ...sessionFacts(row),
    stream_url: address('stream', 'stream'),
    control_url: mayAct ? address('control', 'control') : null,
    adb_url: mayAct ? address('adb', 'control') : null,
  };
}

/** All of a session but the addresses of its sockets. */
export function sessionFacts(row: SessionRow): Omit<Session, 'stream_url' | 'control_url' | 'adb_url'> {
  return {
    session_id: row.id,
    device_id: row.deviceId,
    status: row.status,
    expires_at: iso(row.expiresAt),
    created_at: iso(row.createdAt),
    connected_at: isoOrNull(row.connectedAt),
    ended_at: isoOrNull(row.endedAt),
    end_reason: row.endReason,
    end_detail: row.endDetail,
    app_id: row.appId,
    app_status: row.appStatus,
    app_error: row.appError,
    minutes_reserved: row.minutesReserved,
    minutes_charged: row.minutesCharged,
  };
}
