import type { DeviceCondition } from '../contract/http/fleet-device.ts';
import type { UnavailableReason } from './refusals.ts';

export type { DeviceCondition } from '../contract/http/fleet-device.ts';

/** The facts that decide whether a phone is available. */
export interface DeviceFacts {
  /** The phone has a live session. */
  live: boolean;
  /** An operator put it into maintenance. */
  maintenance: boolean;
  /** Its host reports regularly, and the last report contains the phone. */
  present: boolean;
  /** Its host reports that the phone responds. */
  usable: boolean;
  /** Epoch of its latest lease. It increases by one with each lease. */
  epoch: number;
  /** The phone holds no data of any lease up to this epoch. Below 0 when that is not known. */
  cleanEpoch: number;
}

/**
 * The only place that decides the status of a phone. A live session takes precedence: the phone is busy whatever the
 * other facts are.
 */
export function deviceStatus(facts: DeviceFacts): DeviceCondition {
  if (facts.live) return 'busy';
  if (facts.maintenance) return 'maintenance';
  if (!facts.present || !facts.usable) return 'offline';
  return facts.cleanEpoch >= facts.epoch ? 'available' : 'busy';
}

/** Why the phone cannot be borrowed now; null when it can. */
export function unavailableReason(facts: DeviceFacts): UnavailableReason | null {
  const status = deviceStatus(facts);
  if (status === 'available') return null;
  if (status === 'busy') return facts.live ? 'in_use' : 'cleaning';
  return status;
}

/** Reasons that may resolve without an operator come first. */
const SHORTEST_WAIT_FIRST: readonly UnavailableReason[] = [
  'in_use',
  'cleaning',
  'reserved',
  'offline',
  'maintenance',
];

/**
 * Combines the reasons of several phones into the one that is most likely to resolve soon. An empty list counts as
 * offline.
 */
export function commonReason(reasons: readonly UnavailableReason[]): UnavailableReason {
  return SHORTEST_WAIT_FIRST.find((reason) => reasons.includes(reason)) ?? 'offline';
}
