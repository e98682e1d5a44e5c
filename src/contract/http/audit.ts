import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';
import { UserName } from './user-name.ts';

/** The kinds of things that an entry can be about. */
export const AUDIT_KINDS = [
  'device',
  'session',
  'app',
  'key',
  'account',
  'host',
  'webhook',
  'user',
  'group',
  'watch_link',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** An audit event: who did what to which object, when, from which address, and with what result. */
export const AuditEntry = Type.Object(
  {
    id: Type.String({ description: 'Entry identifier' }),
    at: timestamp('Time of the event'),
    account: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'Account of the requesting key; null if the key is unknown, or for the command line',
    ),
    key: nullable(Type.Object({ id: Type.String(), prefix: Type.String() }), 'Requesting key'),
    user: nullable(UserName, 'User of the key; null if the key belongs to the account only'),
    action: Type.String({
      description: 'Operation, for example devices.connect; with the prefix `cli.` for the command line',
    }),
    address: nullable(
      Type.String({ description: 'Remote address of the request; the address of the proxy if there is one' }),
    ),
    code: Type.Integer({ description: '0 if the operation succeeded, otherwise the error code' }),
    count: Type.Integer({
      minimum: 1,
      description:
        'Number of requests that the event stands for: identical requests of one key that changed nothing ' +
        'are merged for a minute',
    }),
    targets: Type.Array(Type.Object({ kind: Type.Enum([...AUDIT_KINDS]), id: Type.String() }), {
      description: 'Objects that the operation changed or created, at most two',
    }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
