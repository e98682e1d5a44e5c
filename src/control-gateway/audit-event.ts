import type { AuditEvent } from '../store/admin-store.ts';
import type { SessionRow } from '../store/store.ts';

/** What a client does over a control or adb socket that the audit trail keeps. */
export type SocketAction =
  | 'adb.open'
  | 'control.shell'
  | 'control.install'
  | 'control.extend'
  | 'control.open';

/** The client that does it: the key that its address was issued to (null: not known), and where it is. */
export interface SocketActor {
  keyId: string | null;
  address: string;
}

/** Enters something that changed no row, or was refused; resolves when the client may be answered, and never rejects. */
export type NoteAction = (entry: Omit<AuditEvent, 'isRecorded'> & { code: number }) => Promise<void>;

export const socketEvent = (
  { id, deviceId, accountId }: SessionRow,
  action: SocketAction,
  { keyId, address }: SocketActor,
): AuditEvent => ({
  ...{ accountId, keyId, action, address },
  targets: [
    { kind: 'session', id },
    { kind: 'device', id: deviceId },
  ],
});
