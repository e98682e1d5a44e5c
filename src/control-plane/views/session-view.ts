import { type SocketAddressContext, socketAddress } from '../../access/socket-address.ts';
import type { SocketPurpose } from '../../access/socket-token.ts';
import { includesRole } from '../../contract/http/key.ts';
import type { Session, SessionEvent } from '../../contract/http/session.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import { iso, isoOrNull } from '../iso.ts';

/**
 * A session as shown to a client. The socket addresses are bound to the caller's key and are secrets of that key.
 * They stop working when the key does. A key with the role `viewer` receives only the stream address.
 */
export function toSession(
  context: SocketAddressContext,
  row: SessionRow,
  { keyId, role }: Pick<Principal, 'keyId' | 'role'>,
): Session {
  const mayAct = includesRole(role, 'user');
  const addressOf = (purpose: SocketPurpose) =>
    socketAddress(context, { purpose, sessionId: row.id, epoch: row.epoch, grantId: keyId });
  return {
    ...sessionFacts(row),
    stream_url: addressOf('stream'),
    control_url: mayAct ? addressOf('control') : null,
    adb_url: mayAct ? addressOf('adb') : null,
  };
}

/** A session as an event describes it to one key. A disconnected session has no socket addresses. */
export function toSessionEvent(
  context: SocketAddressContext,
  row: SessionRow,
  principal: Pick<Principal, 'keyId' | 'role'>,
): SessionEvent {
  if (row.status !== 'disconnected') return toSession(context, row, principal);
  return { ...sessionFacts(row), stream_url: null, control_url: null, adb_url: null };
}

/** All properties of a session except its socket addresses. */
export function sessionFacts(row: SessionRow): Omit<Session, 'stream_url' | 'control_url' | 'adb_url'> {
  return {
    session_id: row.id,
    device_id: row.deviceId,
    device_name: row.deviceName,
    device_model: row.deviceModel,
    status: row.status,
    created_by: row.createdBy && { user_id: row.createdBy.userId, name: row.createdBy.name },
    expires_at: iso(row.expiresAt),
    created_at: iso(row.createdAt),
    connected_at: isoOrNull(row.connectedAt),
    ended_at: isoOrNull(row.endedAt),
    end_reason: row.endReason,
    end_detail: row.endDetail,
    app_id: row.appId,
    app_status: row.appStatus,
    app_error: row.appError,
    recording: recordingOf(row),
    minutes_reserved: row.minutesReserved,
    minutes_charged: row.minutesCharged,
  };
}

function recordingOf({ status, recording }: SessionRow): Session['recording'] {
  if (recording === null) return null;
  const { isFinished, artifacts, detail } = recording;
  if (status !== 'disconnected') return { status: 'recording', detail };
  if (!isFinished) return { status: 'processing', detail };
  return { status: artifacts > 0 ? 'complete' : 'failed', detail };
}
