import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { name } from './text.ts';

export const HOST_STATES = ['up', 'silent', 'revoked'] as const;
export type HostState = (typeof HOST_STATES)[number];
export const HostState = Type.Enum([...HOST_STATES], {
  description:
    'up: the host reports. silent: its reports stopped or have not started. revoked: its reports are ' +
    'rejected permanently.',
});

const phones = (description: string) => Type.Integer({ minimum: 0, description });

/** A machine with phones attached to it. */
export const Host = Type.Object(
  {
    id: Type.String({ description: 'Host identifier' }),
    name: Type.String({ description: 'Name' }),
    state: HostState,
    last_seen: nullable(
      timestamp('Time of the last report, accurate to a few seconds'),
      'null if it never reported',
    ),
    phones: Type.Object({
      available: phones('Ready to connect'),
      busy: phones('In use or being cleaned'),
      offline: phones('Not attached or not usable'),
      maintenance: phones('Out of service'),
    }),
    live_sessions: Type.Integer({
      minimum: 0,
      description: 'Number of sessions on its phones that have not ended',
    }),
  },
  { title: 'Host' },
);
export type Host = Static<typeof Host>;

export const CreatedHost = Type.Object(
  {
    ...Host.properties,
    credential: Type.String({
      description: 'Credential of the host, for PHONEBOOTH_HOST_CREDENTIAL. Only this response contains it',
    }),
  },
  { title: 'CreatedHost' },
);
export type CreatedHost = Static<typeof CreatedHost>;

export const hostOperations = {
  'admin.hosts.list': {
    method: 'GET',
    path: '/admin/hosts',
    summary: 'List the device hosts by name, including revoked ones',
    access: 'admin',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Host),
    errors: [],
  },
  'admin.hosts.create': {
    method: 'POST',
    path: '/admin/hosts',
    summary: 'Add a host',
    description:
      'Returns the credential with which the host authenticates; it is not stored. The host can connect ' +
      'once the NATS server has the configuration from `phonebooth hosts nats-config`. If the response is ' +
      'lost, revoke the host and add another.',
    access: 'admin',
    params: none,
    query: none,
    body: strict({ name: name('Name of the host, unique among the hosts that are not revoked') }),
    answer: CreatedHost,
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
    params: strict({ host_id: Type.String({ description: 'Host identifier' }) }),
    query: none,
    body: none,
    answer: Host,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
