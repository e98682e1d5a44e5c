import { type Static, Type } from 'typebox';
import { Role } from './key.ts';
import { none, nullable, type Operation, strict } from './operation.ts';
import { MONTH } from './text.ts';
import { UsageDays } from './usage-days.ts';
import { UserName } from './user-name.ts';

const limit = Type.Union([Type.Integer(), Type.Null()], { description: 'null: unlimited' });

/** An account's quota and its use, and the permissions of the key that requests it. */
export const Usage = Type.Object(
  {
    account: Type.String({ description: 'Account name' }),
    role: Role,
    user: nullable(
      Type.Object({ ...UserName.properties, email: nullable(Type.String()) }),
      'User of the key; null if it belongs to the account only',
    ),
    max_key_days: nullable(
      Type.Integer({ minimum: 0 }),
      'Longest `expires_in_days` of a key that is created with this key; 0 if this key can create none. null: a key may also be created without an expiry',
    ),
    max_duration: Type.Integer({
      minimum: 1,
      description: 'Longest total `duration` of a session with its extensions, in minutes',
    }),
    month: Type.String({ description: 'UTC calendar month, YYYY-MM' }),
    resets_at: Type.String({ format: 'date-time', description: 'Start of the next month' }),
    minutes: Type.Object({
      limit,
      used: Type.Integer({ description: 'Device-minutes charged, or reserved by live sessions' }),
      reserved: Type.Integer({ description: 'Part of `used` that live sessions reserve and may release' }),
      remaining: limit,
    }),
    app_bytes: Type.Object({
      limit,
      used: Type.Integer({ description: 'Size of the account’s apps on disk, in bytes' }),
    }),
    artifact_bytes: Type.Object({
      limit,
      used: Type.Integer({ description: 'Size of the account’s artifacts, in bytes' }),
    }),
    record_sessions: Type.Boolean({
      description: 'Whether sessions are recorded if the request does not say otherwise',
    }),
    sessions: Type.Object({
      limit,
      live: Type.Integer({ description: 'Number of sessions that have not ended' }),
    }),
  },
  { title: 'Usage' },
);
export type Usage = Static<typeof Usage>;

/** The part that is the same for all keys of the account. */
export type AccountUsage = Omit<Usage, 'role' | 'user' | 'max_key_days' | 'max_duration'>;

export const usageOperations = {
  'usage.get': {
    method: 'GET',
    path: '/usage',
    summary: 'Show the account’s quota and its use this month',
    access: 'read',
    params: none,
    query: none,
    body: none,
    answer: Usage,
    errors: [],
  },
  'usage.days': {
    method: 'GET',
    path: '/usage/days',
    summary: 'Show the account’s use in a month, by day',
    access: 'read',
    params: none,
    query: strict({
      month: Type.Optional(
        Type.String({
          pattern: MONTH,
          description: 'UTC calendar month, YYYY-MM; default: the current month',
        }),
      ),
    }),
    body: none,
    answer: UsageDays,
    errors: [],
  },
} as const satisfies Record<string, Operation>;
