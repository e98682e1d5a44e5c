import type { LoggedEvent } from '../../store/events/event-log.ts';
import type { WebhookMessage, WebhookStore } from '../../store/webhooks/webhook-store.ts';
import type { ControlPlaneContext } from '../context.ts';
import { toDevice } from '../device-view.ts';
import { type ChangedRows, type EventName, eventFor, readChangedRows } from '../events/changed-rows.ts';
import { sessionFacts } from '../session-view.ts';

type MessagesFor = Parameters<WebhookStore['fanOut']>[0]['messagesFor'];

/**
 * Creates the messages for the webhooks of each account from the current state of what changed. Equal messages are
 * sent once.
 */
export async function describeEvents(
  { store }: Pick<ControlPlaneContext, 'store'>,
  events: LoggedEvent[],
): Promise<MessagesFor> {
  const rows = await readChangedRows(store, events);
  const written = new Map<string, WebhookMessage>();
  const message = (event: EventName, id: string): WebhookMessage => {
    const key = `${event} ${id}`;
    const made = written.get(key) ?? { event, data: JSON.stringify(dataOf(event, id, rows)) };
    written.set(key, made);
    return made;
  };
  return (accountId, groups) => {
    const messages = new Set<WebhookMessage>();
    for (const event of events) {
      const name = eventFor(event, rows, { id: accountId, groups });
      if (name) messages.add(message(name, event.id));
    }
    return [...messages];
  };
}

/**
 * A session in a message has no socket addresses. They are secrets of the account, and a message passes through more
 * systems than an API response.
 */
function dataOf(event: EventName, id: string, rows: ChangedRows): unknown {
  switch (event) {
    case 'device.changed':
      return toDevice(rows.devices.get(id)!);
    case 'device.removed':
      return { id };
    case 'session.changed':
      return sessionFacts(rows.sessions.get(id)!);
    case 'reset':
      return {};
  }
}
