import type { EventName } from '../../contract/events/event.ts';
import type { LoggedEvent } from '../../store/events/event-log.ts';
import type { WebhookMessage, WebhookStore } from '../../store/webhooks/webhook-store.ts';
import type { ControlPlaneContext } from '../context.ts';
import { eventFor, readChangedRows } from '../events/changed-rows.ts';
import { SERIALIZERS } from '../events/serializers.ts';

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
    const made = written.get(key) ?? { event, data: JSON.stringify(SERIALIZERS[event].toWebhook(id, rows)) };
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
