import type { Host } from '../../contract/http/host.ts';
import { hostState } from '../../domain/host-state.ts';
import type { HostUse } from '../../store/hosts/host-store.ts';
import { isoOrNull } from '../iso.ts';

export function toHost(row: HostUse): Host {
  return {
    id: row.id,
    name: row.name,
    state: hostState(row),
    last_seen: isoOrNull(row.lastSeen),
    phones: row.devices,
    live_sessions: row.liveSessions,
  };
}
