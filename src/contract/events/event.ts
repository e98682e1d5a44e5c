import { type Static, type TSchema, Type } from 'typebox';
import { Device } from '../http/device.ts';
import { SessionEvent } from '../http/session.ts';

/**
 * Interval of the comments that keep an idle event stream open. A stream that is silent for much longer is broken.
 */
export const EVENT_HEARTBEAT_MS = 15_000;

/** Default delay before a client reconnects, in milliseconds. */
export const EVENT_RETRY_MS = 2_000;

/** Maximum number of event streams of one account in one process of the API. */
export const MAX_LISTENERS_PER_ACCOUNT = 100;

interface EventDeclaration {
  /** Schema of the data of the event. */
  data: TSchema;
  /** Webhooks receive the event if they subscribe to it, or always. */
  webhooks: 'subscribed' | 'always';
  /** Fields that webhook messages omit, because a message passes through more systems than an API response. */
  secretFields: readonly string[];
}

/**
 * The events of `GET /events` and of webhooks, by name. Each event contains the current state of an object and not the
 * change: several changes may result in one event, and an event may be repeated.
 */
export const EVENTS = {
  'device.changed': { data: Device, webhooks: 'subscribed', secretFields: [] },
  'device.removed': {
    data: Type.Object(
      { id: Type.String({ description: 'Device identifier' }) },
      {
        description:
          'The device is no longer available to the account: it is offline, in maintenance, in a group that ' +
          'the account cannot see, or deleted',
      },
    ),
    webhooks: 'subscribed',
    secretFields: [],
  },
  'session.changed': {
    data: SessionEvent,
    webhooks: 'subscribed',
    secretFields: ['stream_url', 'control_url', 'adb_url'],
  },
  reset: {
    data: Type.Object(
      {},
      {
        description:
          'Fetch the lists again: events were missed and are no longer stored, or the account was added to or ' +
          'removed from a device group',
      },
    ),
    webhooks: 'always',
    secretFields: [],
  },
} as const satisfies Record<string, EventDeclaration>;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** The data of each event. */
export type EventData = { [Name in EventName]: Static<(typeof EVENTS)[Name]['data']> };

/** One event as a program receives it. `event` determines the type of `data`. */
export type ServiceEvent = { [Name in EventName]: { event: Name; data: EventData[Name] } }[EventName];

/** The data of each webhook message, which is that of the event without its secret fields. */
export type WebhookData = {
  [Name in EventName]: Omit<EventData[Name], (typeof EVENTS)[Name]['secretFields'][number]>;
};
