import type { FleetDevice } from '../../../contract/http/fleet-device.ts';
import { iso, isoOrNull } from '../../../control-plane/iso.ts';
import { hostState } from '../../../domain/host-state.ts';
import { nextStep } from '../../../domain/next-step.ts';
import type { FleetDeviceRow } from '../../../store/devices/device-store.ts';

/** A device as shown to an operator. */
export function toFleetDevice(row: FleetDeviceRow): FleetDevice {
  const { id, name, brand, model, os_version, screen_size, resolution, platform, kind } = row;
  const { battery_percent, condition, session } = row;
  const host = { id: row.host.id, name: row.host.name, state: hostState(row.host) };
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
    own_name: row.ownName,
    status: condition === 'available' || condition === 'busy' ? condition : null,
    condition,
    condition_detail: condition === 'busy' ? (session ? 'in_use' : 'cleaning') : null,
    maintenance: row.maintenance,
    maintenance_note: row.maintenanceNote,
    problem: row.problem,
    next_step: nextStep({ ...row, host }),
    host,
    claimed_by: row.claimedBy,
    group: row.group,
    session: session && {
      session_id: session.id,
      status: session.status,
      account: { id: session.accountId, name: session.accountName },
      user: session.user,
      since: iso(session.createdAt),
      expires_at: iso(session.expiresAt),
    },
    last_session_ended_at: isoOrNull(row.lastSessionEndedAt),
  };
}
