import type { Groups } from '../../domain/visibility.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import type { LoggedEvent } from '../../store/events/event-log.ts';
import type { ControlPlaneContext } from '../context.ts';
import { toDevice } from '../device-view.ts';
import { toSessionEvent } from '../session-view.ts';
import { type ChangedRows, type EventName, eventFor, readChangedRows } from './changed-rows.ts';
import { eventMessage } from './server-sent-events.ts';

type Parts = Pick<ControlPlaneContext, 'store' | 'origins' | 'tokenKeys'>;

type Listener = Pick<Principal, 'accountId' | 'keyId' | 'role'>;

/** The event messages for each change. A message is serialized once for all clients that receive the same text. */
export interface Messages {
  get(event: LoggedEvent, listener: Listener): string | undefined;
}

const NO_GROUPS: Groups = new Set();

/**
 * Reads the rows of everything that changed and then, if any of it is in a group, the groups of the clients'
 * accounts.
 */
export async function readMessages(
  parts: Parts,
  events: LoggedEvent[],
  accountIds: Iterable<string>,
): Promise<Messages> {
  const rows = await readChangedRows(parts.store, events);
  const isOfGroup = ({ groupId }: { groupId: string | null }) => groupId !== null;
  const groupsMatter = events.some(isOfGroup) || rows.devices.values().some(isOfGroup);
  const groups = groupsMatter ? await parts.store.groupsOf([...accountIds]) : null;
  const written = new Map<string, string>();
  return {
    get(event, listener) {
      const { accountId, keyId } = listener;
      const eventName = eventFor(event, rows, { id: accountId, groups: groups?.get(accountId) ?? NO_GROUPS });
      if (eventName === null) return undefined;
      // The socket addresses of a session are bound to the key that receives them.
      const key = `${eventName} ${event.id} ${eventName === 'session.changed' ? keyId : ''}`;
      const text =
        written.get(key) ?? eventMessage(eventName, dataOf(parts, eventName, event.id, rows, listener));
      written.set(key, text);
      return text;
    },
  };
}

function dataOf(
  parts: Parts,
  eventName: EventName,
  id: string,
  rows: ChangedRows,
  listener: Listener,
): unknown {
  switch (eventName) {
    case 'device.changed':
      return toDevice(rows.devices.get(id)!);
    case 'device.removed':
      return { id };
    case 'session.changed':
      return toSessionEvent(parts, rows.sessions.get(id)!, listener);
    case 'reset':
      return {};
  }
}
