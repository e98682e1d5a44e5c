import type { FleetSession } from '../../../contract/fleet-session.ts';
import type { FleetSessionRow } from '../../../store/admin-store.ts';
import { sessionFacts } from '../../session-view.ts';

/** A session as an operator sees it: its sockets are its account's alone. */
export function toFleetSession(row: FleetSessionRow): FleetSession {
  return {
    ...sessionFacts(row),
    account: { id: row.accountId, name: row.accountName },
    user: row.user,
    device_name: row.deviceName,
    host_id: row.hostId,
  };
}
