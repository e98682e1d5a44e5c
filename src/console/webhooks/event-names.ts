import { WEBHOOK_EVENTS, type WebhookEvent } from '../../contract/events/webhook.ts';
import { webhookTexts as text } from '../texts/webhooks.ts';

/** The events of a webhook as text. */
export const eventNames = (events: readonly WebhookEvent[]): string =>
  events.length === WEBHOOK_EVENTS.length
    ? text.allEvents
    : events.map((event) => text.eventNames[event]).join(', ');
