import { Type } from 'typebox';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { User } from './user.ts';

const userParams = strict({ user_id: Type.String({ description: 'User identifier' }) });

export const userOperations = {
  'admin.users.list': {
    method: 'GET',
    path: '/admin/users',
    summary: 'List those who sign in at the identity provider, by name, disabled ones too',
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
    summary: 'Keep a user out; a repeat answers the same',
    description:
      'They cannot sign in any more. Their keys, those that they made themselves too, are revoked, the sessions that ' +
      'these created end with reason `admin`, and their sockets are closed within 5 s. The user of the key that asks ' +
      'is not disabled: ask with another key.',
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
    summary: 'Let a user sign in again; a repeat answers the same',
    description: 'Keys that were revoked stay revoked.',
    access: 'admin',
    params: userParams,
    query: none,
    body: none,
    answer: User,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
