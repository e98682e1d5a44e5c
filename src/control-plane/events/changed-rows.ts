import type { EventName } from '../../contract/events/event.ts';
import { deviceEventFor, type Groups } from '../../domain/visibility.ts';
import type { DeviceRow } from '../../store/devices/device-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { LoggedEvent } from '../../store/events/event-log.ts';
import type { Store } from '../../store/store.ts';

/** The current rows of everything that changed. */
export interface ChangedRows {
  devices: ReadonlyMap<string, DeviceRow>;
  sessions: ReadonlyMap<string, SessionRow>;
}

export async function readChangedRows(
  store: Pick<Store, 'getDevices' | 'getSessions'>,
  events: LoggedEvent[],
): Promise<ChangedRows> {
  const idsOf = (kind: LoggedEvent['kind']) => [
    ...new Set(events.filter((event) => event.kind === kind).map(({ id }) => id)),
  ];
  const [deviceIds, sessionIds] = [idsOf('device'), idsOf('session')];
  const devices = deviceIds.length === 0 ? [] : await store.getDevices(deviceIds);
  const sessions = sessionIds.length === 0 ? [] : await store.getSessions(sessionIds);
  return {
    devices: new Map(devices.map((row) => [row.id, row])),
    sessions: new Map(sessions.map((row) => [row.id, row])),
  };
}

/**
 * Decides which event an account receives about a change; null for none. A phone that is not visible to the account
 * is `device.removed`.
 */
export function eventFor(
  { kind, id, accountId, groupId }: LoggedEvent,
  rows: ChangedRows,
  account: { id: string; groups: Groups },
): EventName | null {
  if (accountId !== null && accountId !== account.id) return null;
  if (kind === 'visibility') return 'reset';
  if (kind === 'session') return rows.sessions.has(id) ? 'session.changed' : null;
  const eventName = deviceEventFor(account.groups, groupId, rows.devices.get(id) ?? null);
  return eventName && `device.${eventName}`;
}
