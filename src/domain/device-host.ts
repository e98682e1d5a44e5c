/** What decides whether a host that reports a device gets it. */
export interface DeviceBinding {
  /** The host that introduced the device, or to which an operator moved it. */
  hostId: string;
  /** That host was revoked. */
  isHostRevoked: boolean;
  /** An operator deleted the device after its host no longer had it. */
  isForgotten: boolean;
  /** A session holds the device. */
  isLive: boolean;
}

/**
 * A device belongs to the host that introduced it, whatever state that host is in: otherwise another host could take it by
 * reporting its identifier while the first one restarts. It is released only by what an operator did: revoked that host, or
 * deleted the device.
 */
export function mayReport(hostId: string, device: DeviceBinding): boolean {
  if (device.hostId === hostId) return true;
  return !device.isLive && (device.isHostRevoked || device.isForgotten);
}

/** A claim of another host that was not repeated for this long is over, in milliseconds. */
export const CLAIM_LASTS_MS = 90_000;
/** A claim is written down again after this long, in milliseconds: hosts report every few seconds. */
export const CLAIM_RENEWED_AFTER_MS = 30_000;
