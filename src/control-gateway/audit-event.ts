import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { SessionRow } from '../store/entities.ts';

/** Actions over a control or adb socket that are recorded in the audit trail. */
export type SocketAction =
  | 'adb.open'
  | 'control.shell'
  | 'control.install'
  | 'control.extend'
  | 'control.open';

/**
 * The client that performs the action: the key that its socket address was issued to (null: not known), and its
 * network address.
 */
export interface SocketActor {
  keyId: string | null;
  address: string;
}

/**
 * Records an action that changed no row, or was rejected. Resolves when the client may be answered, and never
 * rejects.
 */
export type RecordAction = (entry: Omit<AuditEvent, 'isRecorded'> & { code: number }) => Promise<void>;

export const socketEvent = (
  { id, deviceId, accountId }: SessionRow,
  action: SocketAction,
  { keyId, address }: SocketActor,
): AuditEvent => ({
  accountId,
  keyId,
  action,
  address,
  targets: [
    { kind: 'session', id },
    { kind: 'device', id: deviceId },
  ],
});
