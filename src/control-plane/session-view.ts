import type { SocketPurpose } from '../access/socket-token.ts';
import type { Session, SessionEvent } from '../contract/http/session.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { SessionRow } from '../store/entities.ts';
import type { ControlPlaneContext } from './context.ts';
import { iso, isoOrNull } from './iso.ts';

/**
 * A session as shown to a client. The socket addresses are bound to the caller's key and are secrets of that key.
 * They stop working when the key does. A key with the role `viewer` receives only the stream address.
 */
export function toSession(
  context: AddressContext,
  row: SessionRow,
  { keyId, role }: Pick<Principal, 'keyId' | 'role'>,
): Session {
  const mayAct = role !== 'viewer';
  return {
    ...sessionFacts(row),
    stream_url: socketAddress(context, 'stream', row, keyId),
    control_url: mayAct ? socketAddress(context, 'control', row, keyId) : null,
    adb_url: mayAct ? socketAddress(context, 'adb', row, keyId) : null,
  };
}

/** A session as an event describes it to one key. A disconnected session has no socket addresses. */
export function toSessionEvent(
  context: AddressContext,
  row: SessionRow,
  principal: Pick<Principal, 'keyId' | 'role'>,
): SessionEvent {
  if (row.status !== 'disconnected') return toSession(context, row, principal);
  return { ...sessionFacts(row), stream_url: null, control_url: null, adb_url: null };
}

type AddressContext = Pick<ControlPlaneContext, 'origins' | 'tokenKeys'>;

/** The address of one socket of a session, bound to a grant: a key or a watch link. */
export function socketAddress(
  { origins, tokenKeys }: AddressContext,
  purpose: SocketPurpose,
  { id: sessionId, epoch }: Pick<SessionRow, 'id' | 'epoch'>,
  grantId: string,
): string {
  const origin = purpose === 'stream' ? origins.stream : origins.control;
  return `${origin}/${purpose}/${tokenKeys.sign({ purpose, sessionId, epoch, grantId })}/${sessionId}`;
}

/** All properties of a session except its socket addresses. */
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
