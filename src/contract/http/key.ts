import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';
import { name } from './text.ts';
import { UserName } from './user-name.ts';

/** Ordered by permissions: each role includes the permissions of the roles before it. */
export const ROLES = ['viewer', 'user', 'admin'] as const;
export const Role = Type.Enum([...ROLES], {
  description: 'viewer: may look. user: may borrow phones, too. admin: may run the service, too.',
});
export type Role = (typeof ROLES)[number];

/** Maximum number of valid keys of an account, which are neither revoked nor expired. */
export const MAX_KEYS_PER_ACCOUNT = 500;

const key = {
  id: Type.String({ description: 'Key identifier; it is no secret' }),
  name: Type.String({ description: 'What it is for' }),
  role: Role,
  prefix: Type.String({ description: 'The first characters of the key, to recognise it by' }),
  created_at: timestamp('When it was made'),
  expires_at: nullable(timestamp('When it stops to work'), 'null: never'),
  revoked_at: nullable(timestamp('When it was revoked'), 'null: it was not'),
  last_used_at: nullable(timestamp('When it was last used, within a minute'), 'null: never'),
  last_used_from: nullable(
    Type.String({ description: 'Address that it was last used from; a proxy’s, where one stands in front' }),
  ),
  user: nullable(UserName, 'Whose it is; null: its account’s alone'),
  signed_in: Type.Boolean({
    description: 'It came of signing in to the console, and is listed while it is valid',
  }),
  current: Type.Boolean({ description: 'It is the key of this request' }),
};

/** A key without its secret, of which only a hash is stored. */
export const Key = Type.Object(key, { title: 'Key' });
export type Key = Static<typeof Key>;

export const CreatedKey = Type.Object(
  {
    ...key,
    key: nullable(
      Type.String(),
      'The key itself, which is in no other answer; null when this is the answer to a repeat',
    ),
  },
  { title: 'CreatedKey' },
);
export type CreatedKey = Static<typeof CreatedKey>;

/** The request body that creates a key. */
export const newKey = {
  name: name('What it is for'),
  role: Type.Optional({ ...Role, default: 'user', description: 'What it may do' }),
  expires_in_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'Days until it expires; never without it, which a key that expires itself may not create',
    }),
  ),
};
