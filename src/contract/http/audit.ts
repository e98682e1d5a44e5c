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
    at: timestamp('When it was done'),
    account: nullable(
      Type.Object({ id: Type.String(), name: Type.String() }),
      'Whose key asked; null: nobody’s that is known, or the command line',
    ),
    key: nullable(Type.Object({ id: Type.String(), prefix: Type.String() }), 'The key that asked'),
    user: nullable(UserName, 'Whose key it is; null: its account’s alone'),
    action: Type.String({
      description: 'The operation, such as devices.connect; cli. before it: by the command line',
    }),
    address: nullable(
      Type.String({ description: 'Where the request came from; a proxy’s, where one stands in front' }),
    ),
    code: Type.Integer({ description: '0: it was done; otherwise the error’s code' }),
    count: Type.Integer({
      minimum: 1,
      description:
        'How many requests the entry stands for: equal requests of one key that changed nothing share an entry for a minute',
    }),
    targets: Type.Array(Type.Object({ kind: Type.Enum([...AUDIT_KINDS]), id: Type.String() }), {
      description: 'What it was done to, and what came of it: at most two',
    }),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;
