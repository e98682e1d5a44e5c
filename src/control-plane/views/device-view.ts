import type { Device, DeviceDetails } from '../../contract/http/device.ts';
import type { DeviceDetailsRow, DeviceRow } from '../../store/devices/device-store.ts';
import type { Role } from '../../store/entities.ts';
import { isoOrNull } from '../iso.ts';

/** A device as shown to clients, without its host and its group. */
export function toDevice(row: DeviceRow): Device {
  const { hostId: _host, hostName: _name, groupId: _group, freeAt, ...device } = row;
  return { ...device, free_at: isoOrNull(freeAt) };
}

/** A device as shown to a key with this role: operators also see its host. */
export function toDeviceFor(role: Role, row: DeviceRow): Device {
  const device = toDevice(row);
  return role === 'admin' ? { ...device, host: { id: row.hostId, name: row.hostName } } : device;
}

export function toDeviceDetails(role: Role, { capabilities, ...row }: DeviceDetailsRow): DeviceDetails {
  return { ...toDeviceFor(role, row), capabilities };
}
