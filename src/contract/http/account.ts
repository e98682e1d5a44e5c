import { type Static, Type } from 'typebox';
import { AFTER_CREATING_A_KEY, CreatedKey, Key, keyParams, MAX_KEYS_PER_ACCOUNT, newKey } from './key.ts';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { name } from './text.ts';

/** Largest quota that can be set. Use `null` for an unlimited quota. */
export const MAX_LIMIT = 1_000_000_000;

/** Longest time for which an account can keep artifacts, in days: 10 years. */
export const MAX_ARTIFACT_DAYS = 3_650;

const limit = (description: string) =>
  nullable(Type.Integer({ minimum: 0, maximum: MAX_LIMIT }), description);

/** Largest limit in bytes, 1 PiB. */
const MOST_BYTES = 1024 ** 5;
const byteLimit = (description: string) =>
  nullable(Type.Integer({ minimum: 0, maximum: MOST_BYTES }), description);

const dayLimit = (description: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: MAX_ARTIFACT_DAYS }), description);

/** An account with its limits and their current use. */
export const Account = Type.Object(
  {
    id: Type.String({ description: 'Account identifier' }),
    name: Type.String({ description: 'Unique name' }),
    quota_minutes: limit('Device-minutes per UTC calendar month; null: unlimited'),
    max_sessions: limit('Maximum number of concurrent sessions; null: unlimited'),
    max_app_bytes: byteLimit('Maximum size of its apps on disk, unpacked, in bytes; null: unlimited'),
    record_sessions: Type.Boolean({
      description: 'Whether sessions are recorded if the request does not say otherwise',
    }),
    max_artifact_bytes: byteLimit('Maximum size of its artifacts, in bytes; null: unlimited'),
    artifact_days: dayLimit('Number of days after which artifacts are deleted; null: never'),
    disabled_at: nullable(
      timestamp('Time at which the account was disabled; its keys are rejected'),
      'null if the account is enabled',
    ),
    created_at: timestamp('Creation time'),
    minutes_used: Type.Integer({
      description: 'Device-minutes used in this UTC calendar month: charged, or reserved by live sessions',
    }),
    live_sessions: Type.Integer({ minimum: 0, description: 'Number of sessions that have not ended' }),
    app_bytes: Type.Integer({ minimum: 0, description: 'Size of the account’s apps on disk, in bytes' }),
    artifact_bytes: Type.Integer({ minimum: 0, description: 'Size of the account’s artifacts, in bytes' }),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

/** The request body that creates an account. */
export const newAccount = {
  name: name('Unique name'),
  quota_minutes: Type.Optional(
    limit('Device-minutes per month; null: unlimited; if omitted, the default of the service'),
  ),
  max_sessions: Type.Optional(
    limit('Maximum number of concurrent sessions; null: unlimited; if omitted, the default of the service'),
  ),
  max_app_bytes: Type.Optional(
    byteLimit(
      'Maximum size of its apps on disk, in bytes; null: unlimited; if omitted, the default of the service',
    ),
  ),
  record_sessions: Type.Optional(
    Type.Boolean({ description: 'Whether to record sessions by default', default: false }),
  ),
  max_artifact_bytes: Type.Optional(
    byteLimit(
      'Maximum size of its artifacts, in bytes; null: unlimited; if omitted, the default of the service',
    ),
  ),
  artifact_days: Type.Optional(
    dayLimit('Days after which artifacts are deleted; null: never; if omitted, the default of the service'),
  ),
};

/** The request body that changes an account. Omitted fields keep their values. */
const accountChange = {
  name: Type.Optional(newAccount.name),
  quota_minutes: Type.Optional(limit('Device-minutes per month; null: unlimited')),
  max_sessions: Type.Optional(limit('Maximum number of concurrent sessions; null: unlimited')),
  max_app_bytes: Type.Optional(byteLimit('Maximum size of its apps on disk, in bytes; null: unlimited')),
  record_sessions: Type.Optional(Type.Boolean({ description: 'Whether to record sessions by default' })),
  max_artifact_bytes: Type.Optional(byteLimit('Maximum size of its artifacts, in bytes; null: unlimited')),
  artifact_days: Type.Optional(dayLimit('Days after which artifacts are deleted; null: never')),
  disabled: Type.Optional(
    Type.Boolean({ description: 'true: its keys are rejected immediately, and its live sessions end' }),
  ),
};

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
