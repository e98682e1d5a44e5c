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
    'available: it can be used. busy: in use, or being prepared or cleaned. offline: its host does not have it, or ' +
    'cannot use it. maintenance: an operator took it out of service.',
});

/** A device as operators see it: its properties, its state, its problem if it has one, and how to solve it. */
export const FleetDevice = Type.Object(
  {
    ...DeviceDescription.properties,
    own_name: Type.String({ description: 'What the phone calls itself; `name`, unless it was renamed' }),
    status: nullable(DeviceStatus, 'As clients see it; null: they do not'),
    condition: DeviceCondition,
    condition_detail: nullable(
      Type.Enum(['in_use', 'cleaning']),
      'Why it is busy: a session has it, or it is cleaned after one',
    ),
    maintenance: Type.Boolean({
      description: 'It is out of service, or will be when its session ends and it is no longer busy',
    }),
    maintenance_note: nullable(Type.String({ description: 'What the operator wrote about the maintenance' })),
    problem: nullable(Type.String({ description: 'What is wrong with it, as its host said it' })),
    next_step: nullable(
      Type.String({ description: 'What to do so that it can be lent again, where that is known' }),
    ),
    host: Type.Object({ id: Type.String(), name: Type.String(), state: HostState }),
    claimed_by: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'Another host that reports this device too. It stays with its host until an operator moves it',
    ),
    group: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'Whose accounts alone see it; null: every account does',
    ),
    session: nullable(
      Type.Object({
        session_id: Type.String(),
        status: SessionStatus,
        account: Type.Object({ id: Type.String(), name: Type.String() }),
        user: nullable(UserName, 'Whose key created it; null: the account’s alone'),
        since: timestamp('When the session was created'),
        expires_at: timestamp('When it ends at the latest'),
      }),
      'The session that has it now',
    ),
    last_session_ended_at: nullable(timestamp('When its last session before that ended'), 'null: never'),
  },
  { title: 'FleetDevice' },
);
export type FleetDevice = Static<typeof FleetDevice>;
