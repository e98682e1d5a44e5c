import { Type } from 'typebox';
import { AuditEntry } from './audit.ts';
import { DeviceCondition, FleetDevice } from './fleet-device.ts';
import { FleetSession } from './fleet-session.ts';
import { NO_GROUP } from './group.ts';
import { Host } from './host.ts';
import { none, nullable, type Operation, strict } from './operation.ts';
import { MAX_COUNTED, PageQuery, pageSchema } from './page.ts';
import { SessionStatus } from './session.ts';
import { name, oneLine, TIME } from './text.ts';
import { MAX_UTILISATION_HOURS, Utilisation } from './utilisation.ts';

const deviceParams = strict({ device_id: Type.String({ description: 'Device identifier' }) });
const hostParams = strict({ host_id: Type.String({ description: 'Host identifier' }) });

/** An optional filter. An empty string does not filter. */
const filter = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));
const time = (description: string) => Type.Optional(Type.String({ pattern: TIME, description }));

const fleetDeviceOperations = {
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
        nullable(oneLine(500, 'Note for other operators'), 'null removes the note'),
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
    body: strict({ reason: oneLine(200, 'Reason, shown to the user of the session') }),
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

const hostOperations = {
  'admin.hosts.list': {
    method: 'GET',
    path: '/admin/hosts',
    summary: 'List the device hosts by name, including revoked ones',
    description:
      'Hosts are added on the command line with `phonebooth hosts add`, because a new host needs a ' +
      'credential and an entry in the configuration of the NATS server.',
    access: 'admin',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Host),
    errors: [],
  },
  'admin.hosts.revoke': {
    method: 'DELETE',
    path: '/admin/hosts/{host_id}',
    summary: 'Revoke a host permanently; idempotent',
    description:
      'Reports from the host are rejected, its phones are offline, and the sessions on them end with ' +
      'reason `admin`. Also update the configuration of the NATS server (`phonebooth hosts nats-config`). ' +
      'The host in the process of this service cannot be revoked while it runs (40000).',
    access: 'admin',
    params: hostParams,
    query: none,
    body: none,
    answer: Host,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;

const recordOperations = {
  'admin.sessions.list': {
    method: 'GET',
    path: '/admin/sessions',
    summary: 'List the sessions of all accounts, newest first',
    description: `\`total\` counts up to ${MAX_COUNTED}.`,
    access: 'admin',
    params: none,
    query: strict({
      status: Type.Optional(
        Type.Union([SessionStatus, Type.Literal('')], { description: 'Only sessions with this status' }),
      ),
      device_id: filter('Only sessions of this device'),
      account_id: filter('Only sessions of this account'),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(FleetSession),
    errors: [],
  },
  'admin.utilisation.get': {
    method: 'GET',
    path: '/admin/utilisation',
    summary: 'Device-minutes in use and offered per hour',
    access: 'admin',
    params: none,
    query: strict({
      hours: Type.Integer({
        minimum: 1,
        maximum: MAX_UTILISATION_HOURS,
        default: 24,
        description: 'Number of hours, up to and including the current one',
      }),
    }),
    body: none,
    answer: Utilisation,
    errors: [],
  },
  'admin.audit.list': {
    method: 'GET',
    path: '/admin/audit',
    summary: 'List the audit events, newest first',
    description:
      'Every operation that changes something is recorded, whether it succeeded or was rejected. Requests ' +
      'without a valid key are recorded at a limited rate. Events are kept for the configured time. ' +
      `\`total\` counts up to ${MAX_COUNTED}. With \`format=jsonl\` or \`Accept: application/jsonl\`, the ` +
      'response contains all events as one JSON object per line, without the envelope; `page` and ' +
      '`page_size` are ignored.',
    access: 'admin',
    params: none,
    query: strict({
      account_id: filter('Only operations of this account’s keys'),
      action: filter('Only this operation'),
      target: filter(
        'Only operations on the device, session, app, key, account, host, webhook, user or group with this ' +
          'identifier',
      ),
      since: time('At or after this time'),
      until: time('Before this time'),
      format: Type.Optional(
        Type.Enum(['json', 'jsonl', ''], { description: 'jsonl: all events, one per line' }),
      ),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(AuditEntry),
    asLines: true,
    errors: [],
  },
} as const satisfies Record<string, Operation>;

export const adminOperations = { ...fleetDeviceOperations, ...hostOperations, ...recordOperations };
