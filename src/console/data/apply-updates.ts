import type { Device } from '../../contract/http/device.ts';
import type { Session, SessionEvent } from '../../contract/http/session.ts';

/** Updates of devices by id: the new state of each, or null if it is no longer offered. */
export type DeviceUpdates = ReadonlyMap<string, Device | null>;

/** Any query result that contains devices: a list or a page of one. */
interface DeviceList {
  items: Device[];
}

const isDeviceList = (data: unknown): data is DeviceList =>
  typeof data === 'object' && data !== null && 'items' in data && Array.isArray(data.items);

/**
 * Applies the updates to the cached result of a query about devices, which is one device or a list. A device that no
 * longer belongs in a list stays there until the list is refetched. Otherwise the rows would move, and the device
 * that belongs in its place is not known yet. An event has no host, so the previous one stays.
 */
export function withDevices<T>(data: T, updates: DeviceUpdates): T {
  if (isDeviceList(data)) {
    if (!data.items.some((device) => updates.get(device.id))) return data;
    return { ...data, items: data.items.map((device) => merged(device, updates.get(device.id))) };
  }
  if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string') {
    return merged(data, updates.get(data.id));
  }
  return data;
}

const merged = <T extends object>(device: T, update: Device | null | undefined): T =>
  update ? { ...device, ...update } : device;

/** Whether the updates change a list beyond the fields of its devices. */
export function isListChanged(data: unknown, updates: DeviceUpdates, filtersByStatus: boolean): boolean {
  if (!isDeviceList(data)) return false;
  if (filtersByStatus) return true;
  const listed = new Set(data.items.map((device) => device.id));
  return [...updates].some(([id, device]) => (device === null) === listed.has(id));
}

/** Applies an event to the account's live sessions, newest first. */
export function withLiveSession(sessions: readonly Session[], event: SessionEvent): Session[] {
  const others = sessions.filter(({ session_id }) => session_id !== event.session_id);
  const session = withSessionEvent(undefined, event);
  if (!session || session.status === 'disconnected') return others;
  return [session, ...others].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/**
 * Applies an event to one session. The event of an ended session has no addresses, so the previous ones stay,
 * although the gateways reject them now.
 */
export function withSessionEvent(before: Session | undefined, event: SessionEvent): Session | undefined {
  const { stream_url, control_url, adb_url, ...facts } = event;
  if (stream_url !== null) return { ...facts, stream_url, control_url, adb_url };
  return before && { ...before, ...facts };
}
