import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { name } from './text.ts';
import { UserName } from './user-name.ts';

/** Ordered by permissions: each role includes the permissions of the roles before it. */
export const ROLES = ['viewer', 'user', 'admin'] as const;
export const Role = Type.Enum([...ROLES], {
  description: 'viewer: read-only access. user: can also borrow phones. admin: can also operate the service.',
});
export type Role = (typeof ROLES)[number];

/**
 * Whether a role includes the permissions of another one. Only then can a key create or revoke keys with the other role.
 */
export const includesRole = (own: Role, other: Role): boolean => ROLES.indexOf(other) <= ROLES.indexOf(own);

/** Maximum number of valid keys of an account, which are neither revoked nor expired. */
export const MAX_KEYS_PER_ACCOUNT = 500;

const key = {
  id: Type.String({ description: 'Key identifier; it is not a secret' }),
  name: Type.String({ description: 'Purpose of the key' }),
  role: Role,
  prefix: Type.String({ description: 'First characters of the key, to recognize it by' }),
  created_at: timestamp('Creation time'),
  expires_at: nullable(timestamp('Expiry time'), 'null if it never expires'),
  revoked_at: nullable(timestamp('Time of revocation'), 'null if it is not revoked'),
  last_used_at: nullable(timestamp('Time of last use, accurate to a minute'), 'null if it was never used'),
  last_used_from: nullable(
    Type.String({ description: 'Remote address of the last use; the address of the proxy if there is one' }),
  ),
  user: nullable(UserName, 'User of the key; null if it belongs to the account only'),
  signed_in: Type.Boolean({
    description:
      'Whether the key was issued by signing in to the console; such keys are listed while they are valid',
  }),
  current: Type.Boolean({ description: 'Whether this is the key of the request' }),
};

/** A key without its secret, of which only a hash is stored. */
export const Key = Type.Object(key, { title: 'Key' });
export type Key = Static<typeof Key>;

export const CreatedKey = Type.Object(
  {
    ...key,
    key: nullable(
      Type.String(),
      'The key itself. Only this response contains it; null in the response to a repeated request',
    ),
  },
  { title: 'CreatedKey' },
);
export type CreatedKey = Static<typeof CreatedKey>;

export const MAX_KEY_DAYS = 3_650;

/** The request body that creates a key. */
export const newKey = {
  name: name('Purpose of the key'),
  role: Type.Optional({ ...Role, default: 'user', description: 'Permissions of the key' }),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_KEY_DAYS,
      description:
        'Days until it expires; if omitted, it never expires. Required if the requesting key expires',
    }),
  ),
};

export const keyParams = strict({ key_id: Type.String({ description: 'Key identifier' }) });

/** This text is in the description of each operation that creates a key. */
export const AFTER_CREATING_A_KEY =
  'Only this response contains the key. A request that is repeated with the same Idempotency-Key ' +
  'returns the same fields with `key` null, because only a hash of the key is stored. If the first ' +
  'response was lost, revoke the key and create another one.';

export const keyOperations = {
  'keys.list': {
    method: 'GET',
    path: '/keys',
    summary: 'List the account’s keys, newest first, including revoked and expired ones',
    access: 'read',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Key),
    errors: [],
  },
  'keys.create': {
    method: 'POST',
    path: '/keys',
    summary: 'Create a key for the account, with the role of the requesting key or a lower one',
    description:
      `${AFTER_CREATING_A_KEY} An account can have at most ${MAX_KEYS_PER_ACCOUNT} valid keys. A key that ` +
      'expires cannot create a key that outlives it. The exception is a key from signing in, whose keys ' +
      'can live up to PHONEBOOTH_KEY_MAX_DAYS.',
    access: 'borrow',
    params: none,
    query: none,
    body: strict(newKey),
    answer: CreatedKey,
    errors: ['quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'keys.revoke': {
    method: 'DELETE',
    path: '/keys/{key_id}',
    summary: 'Revoke a key of the account; idempotent',
    description:
      'The sessions that the key created end with reason `admin`, and their sockets are closed within 5 s. ' +
      'The requesting key can revoke itself; that request is its last. A key cannot revoke a key with a ' +
      'higher role (40003).',
    access: 'borrow',
    params: keyParams,
    query: none,
    body: none,
    answer: Key,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
