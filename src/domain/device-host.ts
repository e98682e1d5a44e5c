/** The facts that decide whether a host may report a device. */
export interface DeviceBinding {
  /** The host that introduced the device, or to which an operator moved it. */
  hostId: string;
  /** Whether an operator revoked that host. */
  isHostRevoked: boolean;
  /** An operator deleted the device after its host no longer reported it. */
  isForgotten: boolean;
  /** The device has a live session. */
  isLive: boolean;
}

/**
 * A device belongs to the host that introduced it, in whatever state that host is. Otherwise another host could take
 * the device by reporting its identifier while the first one restarts. Only an operator can release the device: by
 * revoking that host, or by deleting the device.
 */
export function mayReport(hostId: string, device: DeviceBinding): boolean {
  if (device.hostId === hostId) return true;
  return !device.isLive && (device.isHostRevoked || device.isForgotten);
}

/** A claim by another host expires when it was not repeated for this long, in milliseconds. */
export const CLAIM_LASTS_MS = 90_000;
/**
 * A repeated claim is written to the store at most once in this interval, in milliseconds, because hosts report every
 * few seconds.
 */
export const CLAIM_RENEWED_AFTER_MS = 30_000;
