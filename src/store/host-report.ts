import type { DeviceDescription } from '../contract/device.ts';
import type { AppStatus } from '../contract/session.ts';

/** One phone, as its host sees it. */
export interface PhoneReport {
  description: DeviceDescription;
  /** The phone answers and could be lent. */
  usable: boolean;
  /** Why it is not usable, in words for the operator. */
  problem: string | null;
  /**
   * The phone holds nothing of any lease up to this epoch: it was stopped and cleaned, or never started.
   * null: not known (the host has just started).
   */
  cleanEpoch: number | null;
  /** The lease the host is working on, if any. */
  lease: { sessionId: string; epoch: number; connected: boolean; app: AppReport | null } | null;
}

/** What a host says of the app that it is to install: of which request, how far, and why it failed. */
export interface AppReport {
  request: number;
  status: AppStatus;
  error: string | null;
}

export interface HostReport {
  hostId: string;
  /** What it calls itself; a host that was added keeps the name it was given. */
  hostName: string;
  /** Only a host that an operator added is heard; without it one that nobody knows is taken in. */
  mustBeKnown?: boolean;
  /** Devices that the host may have introduced; without it there is no limit. */
  maxDevices?: number;
  /** false: only the phones named have changed; true: the host has no other phones. */
  complete: boolean;
  phones: PhoneReport[];
}

/** A phone that a host reported and that is not taken from it. */
export interface RefusedPhone {
  deviceId: string;
  why: { reason: 'other-host'; hostId: string } | { reason: 'too-many' };
}

/** What a host should be doing with one of its phones, by the rows. */
export interface Assignment {
  deviceId: string;
  epoch: number;
  /** The phone was last said to be clean up to this epoch; -1: never. */
  cleanEpoch: number;
  /** The live session, or null: then everything up to `epoch` is to be stopped and cleaned. */
  lease: {
    sessionId: string;
    epoch: number;
    remainingMs: number;
    app: { appId: string; request: number } | null;
  } | null;
}

/** A device host, as an operator knows it. */
export interface HostRow {
  id: string;
  name: string;
  /** What it proves itself to the bus with; null: it introduced itself. */
  publicKey: string | null;
  /** Unix milliseconds; null: never heard of. */
  lastSeen: number | null;
  /** Silent for too long, or not heard of yet. */
  lost: boolean;
  revokedAt: number | null;
  /** Phones it has now. */
  phones: number;
}
