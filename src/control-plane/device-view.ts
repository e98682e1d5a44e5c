import type { Device } from '../contract/http/device.ts';
import type { DeviceRow } from '../store/devices/device-store.ts';

/** A device as shown to clients, without its host and its group. */
export function toDevice({ hostId: _host, groupId: _group, ...device }: DeviceRow): Device {
  return device;
}
