import { type Static, Type } from 'typebox';
import { Role } from './key.ts';
import { nullable } from './operation.ts';
import { UserName } from './user-name.ts';

const limit = Type.Union([Type.Integer(), Type.Null()], { description: 'null: unlimited' });

/** One account's quota and what it has used of it, and what the key that asks may do there. */
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

/** What is so whichever of the account’s keys asks. */
export type AccountUsage = Omit<Usage, 'role' | 'user'>;
