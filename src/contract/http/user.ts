import { type Static, Type } from 'typebox';
import { Role } from './key.ts';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { UserName } from './user-name.ts';

/** A person who signs in at an identity provider, with the data that the provider supplied at the last sign-in. */
export const User = Type.Object(
  {
    ...UserName.properties,
    email: nullable(Type.String(), 'null if the provider supplies none'),
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    role: { ...Role, description: 'Role of the keys that the user receives by signing in' },
    issuer: Type.String({ description: 'Issuer URL of the identity provider' }),
    created_at: timestamp('Time of the first sign-in'),
    last_sign_in_at: nullable(
      timestamp('Time of the last sign-in'),
      'null if the user never completed a sign-in',
    ),
    disabled_at: nullable(timestamp('Time at which the user was disabled'), 'null if the user is enabled'),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

const userParams = strict({ user_id: Type.String({ description: 'User identifier' }) });

export const userOperations = {
  'admin.users.list': {
    method: 'GET',
    path: '/admin/users',
    summary: 'List the users who sign in at the identity provider, by name, including disabled ones',
    access: 'admin',
    params: none,
    query: strict({
      account_id: Type.Optional(Type.String({ maxLength: 200, description: 'Only users of this account' })),
      ...PageQuery,
    }),
    body: none,
    answer: pageSchema(User),
    errors: [],
  },
  'admin.users.disable': {
    method: 'POST',
    path: '/admin/users/{user_id}/disable',
    summary: 'Disable a user; idempotent',
    description:
      'The user can no longer sign in. All keys of the user are revoked, including those that the user ' +
      'created. The sessions that these keys created end with reason `admin`, and their sockets are closed ' +
      'within 5 s. The user of the requesting key cannot be disabled: use another key.',
    access: 'admin',
    params: userParams,
    query: none,
    body: none,
    answer: User,
    errors: ['resourceNotFound'],
  },
  'admin.users.enable': {
    method: 'POST',
    path: '/admin/users/{user_id}/enable',
    summary: 'Enable a user; idempotent',
    description: 'Revoked keys stay revoked.',
    access: 'admin',
    params: userParams,
    query: none,
    body: none,
    answer: User,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
