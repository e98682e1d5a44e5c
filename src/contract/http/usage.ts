import { type Static, Type } from 'typebox';
import { Role } from './key.ts';
import { nullable } from './operation.ts';
import { UserName } from './user-name.ts';

const limit = Type.Union([Type.Integer(), Type.Null()], { description: 'null: unlimited' });

/** An account's quota and its use, and the permissions of the key that requests it. */
export const Usage = Type.Object(
  {
    account: Type.String({ description: 'Account name' }),
    role: Role,
    user: nullable(
      Type.Object({ ...UserName.properties, email: nullable(Type.String()) }),
      'Who is signed in with the key; null: it is its account’s alone',
    ),
    month: Type.String({ description: 'UTC calendar month, YYYY-MM' }),
    resets_at: Type.String({ format: 'date-time', description: 'When the next month begins' }),
    minutes: Type.Object({
      limit,
      used: Type.Integer({ description: 'Device-minutes charged, and those reserved by live sessions' }),
      reserved: Type.Integer({ description: 'The part of `used` that live sessions may still give back' }),
      remaining: limit,
    }),
    app_bytes: Type.Object({
      limit,
      used: Type.Integer({ description: 'Bytes that the account’s apps take on disk' }),
    }),
    sessions: Type.Object({ limit, live: Type.Integer({ description: 'Sessions that have not ended' }) }),
  },
  { title: 'Usage' },
);
export type Usage = Static<typeof Usage>;

/** The part that is the same for all keys of the account. */
export type AccountUsage = Omit<Usage, 'role' | 'user'>;
