import type { Groups } from '../../domain/visibility.ts';
import type { LoggedEvent } from '../../store/events/event-log.ts';
import type { ControlPlaneContext } from '../context.ts';
import { eventFor, readChangedRows } from './changed-rows.ts';
import { type Listener, SERIALIZERS } from './serializers.ts';
import { eventMessage } from './server-sent-events.ts';

type Context = Pick<ControlPlaneContext, 'store' | 'origins' | 'tokenKeys'>;

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
  context: Context,
  events: LoggedEvent[],
  accountIds: Iterable<string>,
): Promise<Messages> {
  const rows = await readChangedRows(context.store, events);
  const isOfGroup = ({ groupId }: { groupId: string | null }) => groupId !== null;
  const groupsMatter = events.some(isOfGroup) || rows.devices.values().some(isOfGroup);
  const groups = groupsMatter ? await context.store.listGroupsOf([...accountIds]) : null;
  const written = new Map<string, string>();
  return {
    get(event, listener) {
      const { accountId, keyId } = listener;
      const eventName = eventFor(event, rows, { id: accountId, groups: groups?.get(accountId) ?? NO_GROUPS });
      if (eventName === null) return undefined;
      const { dependsOnKey, toListener } = SERIALIZERS[eventName];
      // The socket addresses of a session are bound to the key that receives them.
      const key = `${eventName} ${event.id} ${dependsOnKey ? keyId : ''}`;
      const text = written.get(key) ?? eventMessage(eventName, toListener(event.id, rows, context, listener));
      written.set(key, text);
      return text;
    },
  };
}
