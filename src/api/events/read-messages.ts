import type { LoggedEvent } from '../../store/event-log.ts';
import type { Role } from '../../store/store.ts';
import { toDevice } from '../devices/device-view.ts';
import type { ApiContext } from '../implement.ts';
import { toSession } from '../session-view.ts';
import { eventMessage } from './server-sent-events.ts';

/** What is told of each thing that changed, written out once for all who hear of it. */
export interface Messages {
  get(event: LoggedEvent, role: Role): string | undefined;
}

/** Reads the rows of what changed, as they are now. A phone that clients are not shown is `device.removed`. */
export async function readMessages(
  { store, origins, tokenKeys }: Pick<ApiContext, 'store' | 'origins' | 'tokenKeys'>,
  events: LoggedEvent[],
): Promise<Messages> {
  const idsOf = (kind: LoggedEvent['kind']) => [
    ...new Set(events.filter((event) => event.kind === kind).map(({ id }) => id)),
  ];
  const [deviceIds, sessionIds] = [idsOf('device'), idsOf('session')];
  const devices = deviceIds.length === 0 ? [] : await store.getDevices(deviceIds);
  const sessions = sessionIds.length === 0 ? [] : await store.getSessions(sessionIds);
  const messages = {
    device: new Map(deviceIds.map((id) => [id, eventMessage('device.removed', { id })])),
    session: new Map<string, string>(),
    /** For who may only look. */
    watchedSession: new Map<string, string>(),
  };
  for (const row of devices) messages.device.set(row.id, eventMessage('device.changed', toDevice(row)));
  for (const row of sessions) {
    const told = (role: Role) =>
      eventMessage('session.changed', toSession({ origins, tokenKeys }, row, role));
    messages.session.set(row.id, told('user'));
    messages.watchedSession.set(row.id, told('viewer'));
  }
  const kindFor = (kind: LoggedEvent['kind'], role: Role) =>
    kind === 'session' && role === 'viewer' ? 'watchedSession' : kind;
  return { get: ({ kind, id }, role) => messages[kindFor(kind, role)].get(id) };
}
