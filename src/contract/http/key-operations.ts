import { Type } from 'typebox';
import { CreatedKey, Key, MAX_KEYS_PER_ACCOUNT, newKey } from './key.ts';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

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
