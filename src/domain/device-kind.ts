import type { DeviceKind } from '../contract/http/device.ts';

/** The prefix of the identifiers that the Android driver gives to its phones. */
const PHYSICAL_PREFIX = 'and-';

/** The kind of a device whose host runs an earlier version and does not report it. */
export function assumedKind(deviceId: string): DeviceKind {
  return deviceId.startsWith(PHYSICAL_PREFIX) ? 'physical' : 'simulated';
}
