import type { Device } from '../../contract/device.ts';
import type { DeviceRow } from '../../store/store.ts';

/** A device as its clients see it: which host it hangs on, and which group it is in, is not their concern. */
export function toDevice({ hostId: _host, groupId: _group, ...device }: DeviceRow): Device {
  return device;
}
