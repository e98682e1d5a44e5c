import type { Session } from '../contract/session.ts';
import type { SessionRow } from '../store/store.ts';
import { type SocketPurpose, socketToken } from '../util/socket-token.ts';
import type { ApiContext } from './implement.ts';

const iso = (time: number) => new Date(time).toISOString();
const isoOrNull = (time: number | null) => (time === null ? null : iso(time));

/** A session as its client sees it. The two addresses carry tokens: they are secrets of the account. */
export function toSession({ origins, tokenKey }: ApiContext, row: SessionRow): Session {
  const address = (purpose: SocketPurpose) =>
    `${origins[purpose]}/${purpose}/${socketToken(tokenKey, purpose, row.id, row.epoch)}/${row.id}`;
  return {
    session_id: row.id,
    device_id: row.deviceId,
    status: row.status,
    stream_url: address('stream'),
    control_url: address('control'),
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
