import type { DeviceCondition } from '../contract/fleet-device.ts';
import type { UnavailableReason } from './refusals.ts';

export type { DeviceCondition } from '../contract/fleet-device.ts';

/** What decides whether a phone can be lent. */
export interface DeviceFacts {
  /** A session holds it. */
  live: boolean;
  /** An operator took it out of service. */
  maintenance: boolean;
  /** Its host is heard of, and has it. */
  present: boolean;
  /** Its host says that it answers. */
  usable: boolean;
  /** The lease it had last; grows by one with each. */
  epoch: number;
  /** It holds nothing of any lease up to this one; below 0 when that is not known. */
  cleanEpoch: number;
}

/** The one rule of a phone's status. A live session comes first: the phone is taken, whatever else is true of it. */
export function deviceStatus(facts: DeviceFacts): DeviceCondition {
  if (facts.live) return 'busy';
  if (facts.maintenance) return 'maintenance';
  if (!facts.present || !facts.usable) return 'offline';
  return facts.cleanEpoch >= facts.epoch ? 'available' : 'busy';
}

/** Why the phone is not lent now; null when it can be. */
export function unavailableReason(facts: DeviceFacts): UnavailableReason | null {
  const status = deviceStatus(facts);
  if (status === 'available') return null;
  if (status === 'busy') return facts.live ? 'in_use' : 'cleaning';
  return status;
}

/** Those of phones that may be free by themselves first. */
const MOST_HOPEFUL_FIRST: readonly UnavailableReason[] = [
  'in_use',
  'cleaning',
  'reserved',
  'offline',
  'maintenance',
];

/** Why none of several phones is lent: what is true of the most hopeful of them. Without any it is as if all were away. */
export function commonReason(reasons: readonly UnavailableReason[]): UnavailableReason {
  return MOST_HOPEFUL_FIRST.find((reason) => reasons.includes(reason)) ?? 'offline';
}
