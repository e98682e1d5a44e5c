import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';
import { name } from './text.ts';

/** Largest quota that can be set. Use `null` for an unlimited quota. */
const MOST = 1_000_000_000;

const limit = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: MOST }), description);

/** Largest limit in bytes, 1 PiB. */
const MOST_BYTES = 1024 ** 5;
const byteLimit = (description: string) =>
  nullable(Type.Integer({ minimum: 0, maximum: MOST_BYTES }), description);

/** An account with its limits and their current use. */
export const Account = Type.Object(
  {
    id: Type.String({ description: 'Account identifier' }),
    name: Type.String({ description: 'What it is called; no two accounts are called the same' }),
    quota_minutes: limit('Device-minutes of each UTC calendar month; null: unlimited'),
    max_sessions: limit('Sessions at a time; null: unlimited'),
    max_app_bytes: byteLimit('Bytes that its apps may take on disk, unpacked; null: unlimited'),
    disabled_at: nullable(timestamp('Since when its keys are refused'), 'null: they are not'),
    created_at: timestamp('When it was made'),
    minutes_used: Type.Integer({
      description: 'Device-minutes charged this UTC calendar month, and those reserved by live sessions',
    }),
    live_sessions: Type.Integer({ minimum: 0, description: 'Sessions that have not ended' }),
    app_bytes: Type.Integer({ minimum: 0, description: 'Bytes that its apps take on disk' }),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

/** The request body that creates an account. */
export const newAccount = {
  name: name('What it is called; no other account may be called so'),
  quota_minutes: Type.Optional(
    limit('Device-minutes a month; null: unlimited; without it, what the service is set to'),
  ),
  max_sessions: Type.Optional(
    limit('Sessions at a time; null: unlimited; without it, what the service is set to'),
  ),
  max_app_bytes: Type.Optional(
    byteLimit(
      'Bytes that its apps may take on disk; null: unlimited; without it, what the service is set to',
    ),
  ),
};

/** The request body that changes an account. Omitted fields keep their values. */
export const accountChange = {
  name: Type.Optional(newAccount.name),
  quota_minutes: Type.Optional(limit('Device-minutes a month; null: unlimited')),
  max_sessions: Type.Optional(limit('Sessions at a time; null: unlimited')),
  max_app_bytes: Type.Optional(byteLimit('Bytes that its apps may take on disk; null: unlimited')),
  disabled: Type.Optional(
    Type.Boolean({ description: 'true: its keys are refused from now on, and its live sessions end' }),
  ),
};
