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
    name: Type.String({ description: 'Unique name' }),
    quota_minutes: limit('Device-minutes per UTC calendar month; null: unlimited'),
    max_sessions: limit('Maximum number of concurrent sessions; null: unlimited'),
    max_app_bytes: byteLimit('Maximum size of its apps on disk, unpacked, in bytes; null: unlimited'),
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
};

/** The request body that changes an account. Omitted fields keep their values. */
export const accountChange = {
  name: Type.Optional(newAccount.name),
  quota_minutes: Type.Optional(limit('Device-minutes per month; null: unlimited')),
  max_sessions: Type.Optional(limit('Maximum number of concurrent sessions; null: unlimited')),
  max_app_bytes: Type.Optional(byteLimit('Maximum size of its apps on disk, in bytes; null: unlimited')),
  disabled: Type.Optional(
    Type.Boolean({ description: 'true: its keys are rejected immediately, and its live sessions end' }),
  ),
};
