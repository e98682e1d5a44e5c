import type { Device } from '../../contract/device.ts';
import type { DeviceRow } from '../../store/store.ts';

/** A device as its clients see it: which host it hangs on is not their concern. */
export function toDevice({ hostId: _, ...device }: DeviceRow): Device {
  return device;
}
