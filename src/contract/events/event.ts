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

/**
 * The events of `GET /events` by name, with the schema of their `data`. Each event contains the current state of an
 * object and not the change: several changes may result in one event, and an event may be repeated.
 */
export const EVENTS = {
  'device.changed': Device,
  'device.removed': Type.Object(
    { id: Type.String({ description: 'Device identifier' }) },
    {
      description:
        'The device is no longer available to the account: it is offline, in maintenance, in a group that ' +
        'the account cannot see, or deleted',
    },
  ),
  'session.changed': SessionEvent,
  reset: Type.Object(
    {},
    {
      description:
        'Fetch the lists again: events were missed and are no longer stored, or the account was added to or ' +
        'removed from a device group',
    },
  ),
} as const satisfies Record<string, TSchema>;

type EventDataByName = { [Name in keyof typeof EVENTS]: Static<(typeof EVENTS)[Name]> };

/** One event as a program receives it. `event` determines the type of `data`. */
export type ServiceEvent = {
  [Name in keyof EventDataByName]: { event: Name; data: EventDataByName[Name] };
}[keyof EventDataByName];
