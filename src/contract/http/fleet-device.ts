import { type Static, Type } from 'typebox';
import { DeviceDescription, DeviceStatus } from './device.ts';
import { HostState } from './host.ts';
import { nullable, timestamp } from './operation.ts';
import { SessionStatus } from './session.ts';
import { UserName } from './user-name.ts';

/** Clients see only `available` and `busy`; the other conditions are visible to operators. */
export const DEVICE_CONDITIONS = ['available', 'busy', 'offline', 'maintenance'] as const;
export type DeviceCondition = (typeof DEVICE_CONDITIONS)[number];
export const DeviceCondition = Type.Enum([...DEVICE_CONDITIONS], {
  description:
    'available: ready to connect. busy: in use, being prepared or being cleaned. offline: its host does ' +
    'not report it or cannot use it. maintenance: an operator took it out of service.',
});

/** A device as operators see it: its properties, its state, its problem if it has one, and how to solve it. */
export const FleetDevice = Type.Object(
  {
    ...DeviceDescription.properties,
    own_name: Type.String({
      description: 'Name that the device reports; equals `name` unless the device was renamed',
    }),
    status: nullable(DeviceStatus, 'Status as clients see it; null if they cannot see the device'),
    condition: DeviceCondition,
    condition_detail: nullable(
      Type.Enum(['in_use', 'cleaning']),
      'Why the device is busy: it is in a session, or it is being cleaned after one',
    ),
    maintenance: Type.Boolean({
      description:
        'Whether the device is in maintenance, or enters it when its session ends and it is no longer busy',
    }),
    maintenance_note: nullable(Type.String({ description: 'Note of the operator about the maintenance' })),
    problem: nullable(Type.String({ description: 'Problem of the device, as reported by its host' })),
    next_step: nullable(
      Type.String({ description: 'Step that makes the device available again, if it is known' }),
    ),
    host: Type.Object({ id: Type.String(), name: Type.String(), state: HostState }),
    claimed_by: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'Another host that also reports this device. The device stays with its host until an operator moves ' +
        'it',
    ),
    group: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'Group of the device, whose accounts alone can see it; null if all accounts can see it',
    ),
    session: nullable(
      Type.Object({
        session_id: Type.String(),
        status: SessionStatus,
        account: Type.Object({ id: Type.String(), name: Type.String() }),
        user: nullable(
          UserName,
          'User of the key that created the session; null if the key belongs to the account only',
        ),
        since: timestamp('When the session was created'),
        expires_at: timestamp('Latest time at which the session ends'),
      }),
      'Session that currently holds the device',
    ),
    last_session_ended_at: nullable(
      timestamp('Time at which the previous session ended'),
      'null if there was none',
    ),
  },
  { title: 'FleetDevice' },
);
export type FleetDevice = Static<typeof FleetDevice>;
