import type { Device } from '../../contract/device.ts';
import type { Session, SessionEvent } from '../../contract/session.ts';

/** What has become of phones: what each is now, or null where it is not offered any more. */
export type DeviceNews = ReadonlyMap<string, Device | null>;

/** Any answer that has phones in it: a list or a part of one. */
interface DeviceList {
  items: Device[];
}

const isDeviceList = (data: unknown): data is DeviceList =>
  typeof data === 'object' && data !== null && 'items' in data && Array.isArray(data.items);

/**
 * Puts the news into what a query about phones has answered, one phone or a list. A phone that left its list stays in it
 * until the list is read again: the rows would jump, and its place is nobody's yet.
 */
export function withDevices<T>(data: T, news: DeviceNews): T {
  if (isDeviceList(data)) {
    if (!data.items.some((device) => news.get(device.id))) return data;
    return { ...data, items: data.items.map((device) => news.get(device.id) ?? device) };
  }
  if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string') {
    return (news.get(data.id) as T | null | undefined) ?? data;
  }
  return data;
}

/** Whether a list is another than it was by these news, beyond the phones' own fields. */
export function isListChanged(data: unknown, news: DeviceNews, filtersByStatus: boolean): boolean {
  if (!isDeviceList(data)) return false;
  if (filtersByStatus) return true;
  const listed = new Set(data.items.map((device) => device.id));
  return [...news].some(([id, device]) => (device === null) === listed.has(id));
}

/** Own live sessions, newest first, with what has become of one. */
export function withLiveSession(sessions: readonly Session[], event: SessionEvent): Session[] {
  const others = sessions.filter(({ session_id }) => session_id !== event.session_id);
  const session = withSessionEvent(undefined, event);
  if (!session || session.status === 'disconnected') return others;
  return [session, ...others].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

/** One session after an event. The event of an ended session has no addresses: those from before stay, and open nothing. */
export function withSessionEvent(before: Session | undefined, event: SessionEvent): Session | undefined {
  const { stream_url, control_url, adb_url, ...facts } = event;
  if (stream_url !== null) return { ...facts, stream_url, control_url, adb_url };
  return before && { ...before, ...facts };
}
