import { type Static, Type } from 'typebox';
import { filter, none, nullable, type Operation, strict } from './operation.ts';
import { MAX_COUNTED, PageQuery, pageSchema } from './page.ts';
import { Session, SessionStatus } from './session.ts';
import { UserName } from './user-name.ts';

/** The addresses contain tokens, which only the session's account may see. */
const { stream_url: _stream, control_url: _control, adb_url: _adb, ...facts } = Session.properties;

/** A session of any account as operators see it, without the addresses of its sockets. */
export const FleetSession = Type.Object(
  {
    ...facts,
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    user: nullable(
      UserName,
      'User of the key that created the session; null if the key belongs to the account only',
    ),
    device_name: Type.String({ description: 'Current name of the device' }),
    host_id: Type.String({ description: 'Identifier of the host of the device' }),
  },
  { title: 'FleetSession' },
);
export type FleetSession = Static<typeof FleetSession>;

export const fleetSessionOperations = {
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
} as const satisfies Record<string, Operation>;
