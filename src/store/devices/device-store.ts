import type { DeviceDescription, DeviceFilters } from '../../contract/http/device.ts';
import type { DeviceCondition } from '../../contract/http/fleet-device.ts';
import type { Page } from '../../contract/http/page.ts';
import type { SessionStatus } from '../../contract/http/session.ts';
import type { UserName } from '../../contract/http/user-name.ts';
import type { Groups } from '../../domain/visibility.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { Paging, Timestamp } from '../entities.ts';
import type { HostRow } from '../hosts/host-store.ts';

export interface DeviceRow extends DeviceDescription {
  hostId: string;
  /** null: the device is in no group and is visible to every account. */
  groupId: string | null;
  status: 'available' | 'busy';
  /** When the session of the device ends at the latest; null if there is none. */
  freeAt: Timestamp | null;
  hostName: string;
}

export interface DeviceDetailsRow extends DeviceRow {
  /** The control methods that the device supports; null: not reported. */
  capabilities: string[] | null;
}

/** A filter that is empty matches any device. */
export interface ListDevicesQuery extends DeviceFilters {
  /** The account for which the devices are listed. */
  accountId: string;
  /** Only devices of the group with this id or name. */
  group?: string;
  page: number;
  pageSize: number;
}

/** A device with its host, its live session, and the time at which its previous session ended. */
export interface FleetDeviceRow extends DeviceDescription {
  ownName: string;
  condition: DeviceCondition;
  /** The device has been cleaned after its last lease. */
  isClean: boolean;
  /** The host reports the device as present. */
  present: boolean;
  maintenance: boolean;
  maintenanceNote: string | null;
  problem: string | null;
  host: Pick<HostRow, 'id' | 'name' | 'lost' | 'revokedAt'>;
  /** Another host that also reports this device. */
  claimedBy: { id: string; name: string } | null;
  session: {
    id: string;
    status: SessionStatus;
    accountId: string;
    accountName: string;
    user: UserName | null;
    createdAt: Timestamp;
    expiresAt: Timestamp;
  } | null;
  lastSessionEndedAt: Timestamp | null;
  /** null: the device is visible to every account. */
  group: { id: string; name: string } | null;
}

export interface FleetDeviceQuery extends Paging {
  condition?: DeviceCondition | undefined;
  hostId?: string | undefined;
  /** null: devices that are in no group. */
  groupId?: string | null | undefined;
  brand?: string | undefined;
  /** Text to find in the name, model or identifier. */
  search?: string | undefined;
}

export interface DeviceChange {
  deviceId: string;
  /** null: reset to the name that the device reports. */
  name?: string | null | undefined;
  maintenance?: boolean | undefined;
  maintenanceNote?: string | null | undefined;
  /** null: remove the device from its group, which makes it visible to every account. */
  groupId?: string | null | undefined;
  /** The host to which the device is moved. The device is offline until that host reports it. */
  hostId?: string | undefined;
}

export type DeviceChangeRefusal = 'no-such-group' | 'no-such-host' | 'in-use';

/**
 * Fleet counts: sessions by status, devices by condition, hosts by state. A key whose count is zero may be absent.
 */
export interface FleetCounts {
  sessions: Record<string, number>;
  devices: Record<string, number>;
  hosts: Record<string, number>;
  /** How long ago the earliest expiry among the live sessions passed, ms; 0 when no live session is overdue. */
  overdueMs: number;
}

/** Devices, as borrowers and as operators see them. */
export interface DeviceStore {
  /**
   * Sorted by identifier. Returns only devices that are visible to the account and are available or busy. Callers share
   * the page and must not modify it.
   */
  listDevices(query: ListDevicesQuery): Promise<Page<DeviceRow>>;
  getDevice(deviceId: string, accountId: string): Promise<DeviceDetailsRow | null>;
  /**
   * Returns those of the devices that are available or busy, regardless of visibility, in no particular order.
   */
  getDevices(deviceIds: string[]): Promise<DeviceRow[]>;
  /** The groups of each account. Accounts that are in no group are absent from the map. */
  listGroupsOf(accountIds: string[]): Promise<ReadonlyMap<string, Groups>>;
  /** Sorted by identifier, in every condition. Deleted devices are not included. */
  listFleetDevices(query: FleetDeviceQuery): Promise<Page<FleetDeviceRow>>;
  getFleetDevice(deviceId: string): Promise<FleetDeviceRow | null>;
  /** null: the device does not exist. */
  updateDevice(
    change: DeviceChange,
    audit?: AuditEvent,
  ): Promise<FleetDeviceRow | DeviceChangeRefusal | null>;
  /** Removes a device from every list until a host reports it again. null: the device does not exist. */
  deleteDevice(deviceId: string, audit?: AuditEvent): Promise<'forgotten' | 'present' | 'in-use' | null>;
  /** Counts live sessions, devices and hosts. */
  getFleetCounts(): Promise<FleetCounts>;
}
