import { type Static, Type } from 'typebox';
import { DeviceDescription, DeviceStatus, deviceParams } from './device.ts';
import { FleetSession } from './fleet-session.ts';
import { NO_GROUP } from './group.ts';
import { HostState } from './host.ts';
import { filter, none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { SessionStatus } from './session.ts';
import { name, oneLine } from './text.ts';
import { MAX_NOTE_LENGTH, MAX_REASON_LENGTH } from './text-limits.ts';
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

export const fleetDeviceOperations = {
  'admin.devices.list': {
    method: 'GET',
    path: '/admin/devices',
    summary: 'List all devices, including those that are offline or in maintenance',
    access: 'admin',
    params: none,
    query: strict({
      condition: Type.Optional(
        Type.Union([DeviceCondition, Type.Literal('')], { description: 'Only devices in this condition' }),
      ),
      host_id: filter('Only devices of this host'),
      group_id: filter(`Only devices of this group; ${NO_GROUP}: devices without a group`),
      brand: filter('Only devices of this brand; case-insensitive'),
      search: filter('Only devices with this text in their name, model or identifier; case-insensitive'),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(FleetDevice),
    errors: [],
  },
  'admin.devices.update': {
    method: 'PATCH',
    path: '/admin/devices/{device_id}',
    summary:
      'Rename a device, assign it to a group, move it to another host, or start or end its maintenance',
    description:
      'Fields that are not in the body keep their values. Maintenance does not end a session: a device in ' +
      'use enters maintenance when its session ends. The note is deleted when maintenance ends. Assigning ' +
      'a group does not end a session either: the session continues until its end, even if its account can ' +
      'no longer see the device. A device belongs to the host that first reported it, and reports about it ' +
      'from other hosts are rejected. `host_id` moves the device to another host. The move fails with ' +
      '40010 while a session holds the device, and the device is offline until the new host reports it.',
    access: 'admin',
    params: deviceParams,
    query: none,
    body: strict({
      name: Type.Optional(nullable(name('New name'), 'null: the name that the device reports')),
      maintenance: Type.Optional(Type.Boolean({ description: 'true: the device cannot be borrowed' })),
      maintenance_note: Type.Optional(
        nullable(oneLine(MAX_NOTE_LENGTH, 'Note for other operators'), 'null removes the note'),
      ),
      group_id: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Group of the device; only the accounts of the group can see it',
          }),
          'null removes the device from its group, so that all accounts can see it',
        ),
      ),
      host_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: 'Identifier of the new host' }),
      ),
    }),
    answer: FleetDevice,
    errors: ['deviceNotFound', 'deviceUnavailable'],
  },
  'admin.devices.release': {
    method: 'POST',
    path: '/admin/devices/{device_id}/release',
    summary: 'End the session of a device, with a reason',
    description:
      'The session ends with reason `admin`, and its user sees the given text as the detail. The device is ' +
      'then cleaned and stays busy until cleaning is complete. Cleaning cannot be skipped, because it ' +
      'removes the user’s data. Fails with 40010 and the reason `cleaning` if the device is being cleaned, ' +
      'and with 40013 if it has no session.',
    access: 'admin',
    params: deviceParams,
    query: none,
    body: strict({ reason: oneLine(MAX_REASON_LENGTH, 'Reason, shown to the user of the session') }),
    answer: FleetSession,
    errors: ['deviceNotFound', 'deviceUnavailable', 'sessionEnded'],
  },
  'admin.devices.delete': {
    method: 'DELETE',
    path: '/admin/devices/{device_id}',
    summary: 'Delete a device that is no longer attached',
    description:
      'Fails with 40010 if a host still reports the device or a session holds it. Its sessions remain in ' +
      'the lists. The device is added again automatically when a host reports it.',
    access: 'admin',
    params: deviceParams,
    query: none,
    body: none,
    answer: Type.Object({}),
    errors: ['deviceNotFound', 'deviceUnavailable'],
  },
} as const satisfies Record<string, Operation>;
