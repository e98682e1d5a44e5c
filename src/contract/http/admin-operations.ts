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
    summary: 'List every device, whatever its condition',
    access: 'admin',
    params: none,
    query: strict({
      condition: Type.Optional(
        Type.Union([DeviceCondition, Type.Literal('')], { description: 'Only this condition' }),
      ),
      host_id: filter('Only the devices of this host'),
      group_id: filter(`Only the devices of this group; ${NO_GROUP}: those in no group`),
      brand: filter('Only this brand, without regard to case'),
      search: filter('Only those that have this in their name, model or identifier, without regard to case'),
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
      'Rename a device, put it into a group, move it to another host, or take it in and out of maintenance',
    description:
      'What is not in the body stays as it is. Maintenance ends no session: a device that is in use is out of service ' +
      'when its session has ended. Its note goes with it when it is over. Another group ends no session either: whoever ' +
      'has the device keeps it to the end, though it may not exist for that account any more. A device belongs to the host that ' +
      'introduced it, and reports of other hosts about it are refused. `host_id` moves it, which is refused (40010) while ' +
      'a session holds it; it is offline until its new host reports it.',
    access: 'admin',
    params: deviceParams,
    query: none,
    body: strict({
      name: Type.Optional(nullable(name('What it is to be called'), 'null: what it calls itself')),
      maintenance: Type.Optional(Type.Boolean({ description: 'true: it is not lent' })),
      maintenance_note: Type.Optional(
        nullable(oneLine(500, 'Why, for whoever looks at it next'), 'null: none'),
      ),
      group_id: Type.Optional(
        nullable(
          Type.String({ minLength: 1, maxLength: 100, description: 'The group whose accounts alone see it' }),
          'null: none, and every account sees it',
        ),
      ),
      host_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 128, description: 'The host that it belongs to from now on' }),
      ),
    }),
    answer: FleetDevice,
    errors: ['deviceNotFound', 'deviceUnavailable'],
  },
  'admin.devices.release': {
    method: 'POST',
    path: '/admin/devices/{device_id}/release',
    summary: 'End the session that a device is in, and say why',
    description:
      'The session ends with reason `admin`, and what is said here as its detail: its user sees it. The device is then ' +
      'cleaned, and busy until it is clean; nothing makes that shorter, since what the session left on it is its ' +
      'user’s alone. One that is being cleaned is 40010 with the reason `cleaning`, and one without a session 40013.',
    access: 'admin',
    params: deviceParams,
    query: none,
    body: strict({ reason: oneLine(200, 'Why, for the session’s user') }),
    answer: FleetSession,
    errors: ['deviceNotFound', 'deviceUnavailable', 'sessionEnded'],
  },
  'admin.devices.delete': {
    method: 'DELETE',
    path: '/admin/devices/{device_id}',
    summary: 'Forget a device that is gone',
    description:
      'Only one that its host does not have any more, and that no session has: any other is 40010. Its sessions stay ' +
      'in the lists. It comes back by itself when a host has it again.',
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
    summary: 'List the machines with phones, by name, revoked ones too',
    description:
      'Hosts are added on the command line, by `phonebooth hosts add`: a new host needs its credential, and the NATS ' +
      'server needs to know it, before it can be heard.',
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
    summary: 'Revoke a host, for good; a repeat answers the same',
    description:
      'Nothing it says is taken any more, its phones are offline, and the sessions on them end with reason `admin`. ' +
      'Give the NATS server its new configuration, too (`phonebooth hosts nats-config`). The host in this service’s ' +
      'own process is not revoked while it runs (40000).',
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
    description: `\`total\` counts to ${MAX_COUNTED} at the most.`,
    access: 'admin',
    params: none,
    query: strict({
      status: Type.Optional(
        Type.Union([SessionStatus, Type.Literal('')], { description: 'Only this status' }),
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
    summary: 'Device-minutes in use and offered, hour by hour',
    access: 'admin',
    params: none,
    query: strict({
      hours: Type.Integer({
        minimum: 1,
        maximum: MAX_UTILISATION_HOURS,
        default: 24,
        description: 'How many, up to the one that it is',
      }),
    }),
    body: none,
    answer: Utilisation,
    errors: [],
  },
  'admin.audit.list': {
    method: 'GET',
    path: '/admin/audit',
    summary: 'Who did what, newest first',
    description:
      'Every operation that changes something has an entry, whether it was done or refused, and so has a request ' +
      'without a valid key, at a bounded rate. Entries are kept as long as the operator has set. `total` counts to ' +
      `${MAX_COUNTED} at the most. With \`format=jsonl\`, or \`Accept: application/jsonl\`, all entries come, one ` +
      'line of JSON each, without the envelope; `page` and `page_size` do not matter then.',
    access: 'admin',
    params: none,
    query: strict({
      account_id: filter('Only what this account’s keys did'),
      action: filter('Only this operation'),
      target: filter(
        'Only what was done to the device, session, app, key, account, host, webhook, user or group of this identifier',
      ),
      since: time('From this time on'),
      until: time('Before this time'),
      format: Type.Optional(
        Type.Enum(['json', 'jsonl', ''], { description: 'jsonl: all of them, a line each' }),
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
