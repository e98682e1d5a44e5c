import { type Static, Type } from 'typebox';
import { filter, none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { MAX_COUNTED, PageQuery, pageSchema } from './page.ts';
import { TIME } from './text.ts';
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
  'file',
  'artifact',
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
    targets: Type.Array(
      Type.Object({
        kind: Type.Enum([...AUDIT_KINDS]),
        id: Type.String({ description: 'Identifier; for a file, its path on the phone' }),
        name: nullable(
          Type.String({ description: 'Current name; the name of the device for a session' }),
          'null if the object has no name or no longer exists',
        ),
      }),
      { description: 'Objects that the operation changed or created, at most two' },
    ),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

const time = (description: string) => Type.Optional(Type.String({ pattern: TIME, description }));

export const auditOperations = {
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
