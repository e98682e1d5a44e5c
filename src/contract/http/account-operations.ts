import { Type } from 'typebox';
import { Account, accountChange, newAccount } from './account.ts';
import { CreatedKey, Key, MAX_KEYS_PER_ACCOUNT, newKey } from './key.ts';
import { AFTER_CREATING_A_KEY, keyParams } from './key-operations.ts';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

const accountParams = strict({ account_id: Type.String({ description: 'Account identifier' }) });

export const accountOperations = {
  'admin.accounts.list': {
    method: 'GET',
    path: '/admin/accounts',
    summary: 'List accounts, by name',
    access: 'admin',
    params: none,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Account),
    errors: [],
  },
  'admin.accounts.create': {
    method: 'POST',
    path: '/admin/accounts',
    summary: 'Create an account',
    access: 'admin',
    params: none,
    query: none,
    body: strict(newAccount),
    answer: Account,
    errors: ['idempotencyConflict'],
    idempotencyKey: true,
  },
  'admin.accounts.update': {
    method: 'PATCH',
    path: '/admin/accounts/{account_id}',
    summary: 'Change the name or the limits of an account, or disable or enable it',
    description:
      'Fields that are not in the body keep their values. Lowering a quota below the current use rejects ' +
      'new requests and ends no session. The account of the requesting key cannot be disabled: use a key ' +
      'of another account.',
    access: 'admin',
    params: accountParams,
    query: none,
    body: strict(accountChange),
    answer: Account,
    errors: ['resourceNotFound'],
  },
  'admin.accounts.keys.list': {
    method: 'GET',
    path: '/admin/accounts/{account_id}/keys',
    summary: 'List the keys of an account, newest first',
    access: 'admin',
    params: accountParams,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(Key),
    errors: ['resourceNotFound'],
  },
  'admin.accounts.keys.create': {
    method: 'POST',
    path: '/admin/accounts/{account_id}/keys',
    summary: 'Create a key for an account',
    description: `${AFTER_CREATING_A_KEY} An account can have at most ${MAX_KEYS_PER_ACCOUNT} valid keys.`,
    access: 'admin',
    params: accountParams,
    query: none,
    body: strict(newKey),
    answer: CreatedKey,
    errors: ['resourceNotFound', 'quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'admin.keys.revoke': {
    method: 'DELETE',
    path: '/admin/keys/{key_id}',
    summary: 'Revoke any key; idempotent',
    description:
      'The sessions that the key created end with reason `admin`, and their sockets are closed within 5 s.',
    access: 'admin',
    params: keyParams,
    query: none,
    body: none,
    answer: Key,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
