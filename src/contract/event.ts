import { type Static, type TSchema, Type } from 'typebox';
import { Device } from './device.ts';
import { SessionEvent } from './session.ts';

/** A comment keeps a stream of events alive when nothing happens. One that is silent for much longer is broken. */
export const EVENT_HEARTBEAT_MS = 15_000;

/** What a client waits before it comes back, ms, unless it knows better. */
export const EVENT_RETRY_MS = 2_000;

/** Of one account, in one process of the API. */
export const MAX_LISTENERS_PER_ACCOUNT = 100;

/**
 * The events of `GET /events`, by name: what is in their `data`. Each tells what a thing is now, not what was done to
 * it: several changes may be one event, and one may come twice.
 */
export const EVENTS = {
  'device.changed': Device,
  'device.removed': Type.Object(
    { id: Type.String({ description: 'Device identifier' }) },
    {
      description: 'It is not offered to the account now: offline, in maintenance, of another group, or gone',
    },
  ),
  'session.changed': SessionEvent,
  reset: Type.Object(
    {},
    {
      description:
        'Read the lists again: events were missed that cannot be told any more, or the account was let into a group of ' +
        'devices, or taken out of one',
    },
  ),
} as const satisfies Record<string, TSchema>;

type EventDataByName = { [Name in keyof typeof EVENTS]: Static<(typeof EVENTS)[Name]> };

/** One event as a program sees it; `event` says what `data` is. */
export type ServiceEvent = {
  [Name in keyof EventDataByName]: { event: Name; data: EventDataByName[Name] };
}[keyof EventDataByName];
