import type { FleetSession } from '../../../contract/http/fleet-session.ts';
import { sessionFacts } from '../../../control-plane/views/session-view.ts';
import type { FleetSessionRow } from '../../../store/sessions/session-store.ts';

/** A session as shown to an operator. It has no socket addresses, which belong to the session's account. */
export function toFleetSession(row: FleetSessionRow): FleetSession {
  return {
    ...sessionFacts(row),
    account: { id: row.accountId, name: row.accountName },
    user: row.user,
    device_name: row.deviceName,
    host_id: row.hostId,
  };
}
