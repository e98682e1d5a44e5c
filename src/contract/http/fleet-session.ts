import { type Static, Type } from 'typebox';
import { nullable } from './operation.ts';
import { Session } from './session.ts';
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
