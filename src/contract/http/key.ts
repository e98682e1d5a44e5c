import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';
import { name } from './text.ts';
import { UserName } from './user-name.ts';

/** Ordered by permissions: each role includes the permissions of the roles before it. */
export const ROLES = ['viewer', 'user', 'admin'] as const;
export const Role = Type.Enum([...ROLES], {
  description: 'viewer: read-only access. user: can also borrow phones. admin: can also operate the service.',
});
export type Role = (typeof ROLES)[number];

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

/** The request body that creates a key. */
export const newKey = {
  name: name('Purpose of the key'),
  role: Type.Optional({ ...Role, default: 'user', description: 'Permissions of the key' }),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description:
        'Days until it expires; if omitted, it never expires. Required if the requesting key expires',
    }),
  ),
};
