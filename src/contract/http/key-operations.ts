import { Type } from 'typebox';
import { CreatedKey, Key, MAX_KEYS_PER_ACCOUNT, newKey } from './key.ts';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';

export const keyParams = strict({ key_id: Type.String({ description: 'Key identifier' }) });

/** This text is in the description of each operation that creates a key. */
export const AFTER_CREATING_A_KEY =
  'The key itself is in this answer and in no other. A repeat with the same Idempotency-Key answers the same key’s ' +
  'fields with `key` null, since nobody has it any more: if the first answer was lost, revoke it and make another.';

export const keyOperations = {
  'keys.list': {
    method: 'GET',
    path: '/keys',
    summary: 'List the account’s keys, newest first, revoked and expired ones too',
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
    summary: 'Make a key for the account, with a role not above one’s own',
    description: `${AFTER_CREATING_A_KEY} An account has at most ${MAX_KEYS_PER_ACCOUNT} valid keys. A key that expires creates no key that outlives it, except that a key that came of signing in creates keys that live up to PHONEBOOTH_KEY_MAX_DAYS.`,
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
    summary: 'Revoke a key of the account; a repeat answers the same',
    description:
      'The sessions that it created end with reason `admin`, and their sockets are closed within 5 s. The key of the ' +
      'request itself may be revoked: that request is its last. A key with a role above one’s own may not (40003).',
    access: 'borrow',
    params: keyParams,
    query: none,
    body: none,
    answer: Key,
    errors: ['resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
