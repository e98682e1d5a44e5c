import type { DeviceDescription } from '../../contract/http/device.ts';
import type { DeviceCondition } from '../../contract/http/fleet-device.ts';
import type { Page } from '../../contract/http/page.ts';
import type { AppStatus } from '../../contract/http/session.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { Paging, SessionRow } from '../entities.ts';

type LaterProperty = 'platform' | 'kind' | 'battery_percent';

/** The properties of a device as its host reports them. A host of an earlier version does not report all of them. */
export type ReportedDevice = Omit<DeviceDescription, LaterProperty> &
  Partial<Pick<DeviceDescription, LaterProperty>>;

/** The state of one device as reported by its host. */
export interface PhoneReport {
  description: ReportedDevice;
  /** The control methods that the device supports. Absent: the host runs an earlier version. */
  capabilities?: string[] | undefined;
  /** The device responds and can be connected. */
  usable: boolean;
  /** Why it is not usable; a readable message for the operator. */
  problem: string | null;
  /**
   * The device holds no data of any lease up to this epoch: it was stopped and cleaned, or never started. null:
   * unknown, because the host has just started.
   */
  cleanEpoch: number | null;
  /** The lease that the host is serving, if any. */
  lease: { sessionId: string; epoch: number; connected: boolean; app: AppReport | null } | null;
}

/** State of an app installation: the number of the request, its status, and the error if it failed. */
export interface AppReport {
  request: number;
  status: AppStatus;
  error: string | null;
}

export interface HostReport {
  hostId: string;
  /** The name that the host reports. A host that an operator registered keeps the name it was given. */
  hostName: string;
  /**
   * true: only hosts that an operator registered may report. Otherwise an unknown host is registered by its first
   * report.
   */
  mustBeKnown?: boolean;
  /** Maximum number of devices that the host may introduce. Absent: unlimited. */
  maxDevices?: number;
  /** false: the report names only devices that have changed. true: it names all devices of the host. */
  complete: boolean;
  phones: PhoneReport[];
}

/** A reported device that was rejected. */
export interface RefusedPhone {
  deviceId: string;
  why: { reason: 'other-host'; hostId: string } | { reason: 'too-many' };
}

/** How a host must record a session. */
export interface RecordingOrder {
  /** Whether the recorded commands contain the text that is typed. */
  text: boolean;
  /** How much more the account can store at this time, bytes; null: unlimited. */
  maxBytes: number | null;
}

/** The desired state of a device, which its host reconciles. */
export interface Assignment {
  deviceId: string;
  epoch: number;
  /** The epoch up to which the device was last reported clean; -1: never. */
  cleanEpoch: number;
  /** The live session. null: everything up to `epoch` must be stopped and cleaned. */
  lease: {
    sessionId: string;
    epoch: number;
    remainingMs: number;
    app: { appId: string; request: number } | null;
    /** null: the session is not recorded. */
    recording: RecordingOrder | null;
  } | null;
}

/** A device host as operators see it. */
export interface HostRow {
  id: string;
  name: string;
  /** The public key with which the host authenticates to the bus. null: the host registered itself. */
  publicKey: string | null;
  /** Unix milliseconds; null: it has never reported. */
  lastSeen: number | null;
  /** The host has not reported for too long, or has never reported. */
  lost: boolean;
  revokedAt: number | null;
  /** Number of devices that are present. */
  phones: number;
}

/** A host with counts of its devices by condition, and of its live sessions. */
export interface HostUse extends HostRow {
  devices: Record<DeviceCondition, number>;
  liveSessions: number;
}

/** Device hosts and their reports. */
export interface HostStore {
  /**
   * Applies the report of a host about its devices, and returns the assignment of each device. New devices are
   * created. Devices that are absent from a complete report go offline, and their sessions end with `device_lost`.
   * Sessions whose lease is established become `connected`. A device that was cleaned up to its current epoch becomes
   * available. A partial report affects, and returns, only the devices that it names. `wasLost`: the host had been
   * marked as lost; devices that its report does not name stay offline. `refused`: devices that belong to another
   * host, or that exceed the device limit of the host. null: the host is revoked, or is unknown although it must be
   * registered; nothing was changed.
   */
  reportHost(report: HostReport): Promise<{
    assignments: Assignment[];
    changed: SessionRow[];
    wasLost: boolean;
    refused: RefusedPhone[];
  } | null>;
  /** The names of hosts are unique among hosts that are not revoked. */
  createHost(host: { name: string; publicKey: string }, audit?: AuditEvent): Promise<HostRow | 'name-taken'>;
  /** Sorted by name, including revoked hosts. */
  listHosts(query: Paging): Promise<Page<HostUse>>;
  getHost(hostId: string): Promise<HostUse | null>;
  /**
   * Revokes a host: its reports are rejected, and its live sessions end with reason `admin`. null: the host does not
   * exist.
   */
  revokeHost(hostId: string, audit?: AuditEvent): Promise<{ host: HostRow; ended: SessionRow[] } | null>;
}
