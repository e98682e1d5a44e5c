import type { Device, DeviceDetails } from '../contract/http/device.ts';
import type { DeviceDetailsRow, DeviceRow } from '../store/devices/device-store.ts';

/** A device as shown to clients, without its host and its group. */
export function toDevice({ hostId: _host, groupId: _group, ...device }: DeviceRow): Device {
  return device;
}

export function toDeviceDetails({
  hostId: _host,
  groupId: _group,
  ...device
}: DeviceDetailsRow): DeviceDetails {
  return device;
}
