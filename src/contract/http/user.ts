import { type Static, Type } from 'typebox';
import { Role } from './key.ts';
import { nullable, timestamp } from './operation.ts';
import { UserName } from './user-name.ts';

/** A person who signs in at an identity provider, with the data that the provider supplied at the last sign-in. */
export const User = Type.Object(
  {
    ...UserName.properties,
    email: nullable(Type.String(), 'null: the provider tells none'),
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    role: { ...Role, description: 'What the keys may do that they get by signing in' },
    issuer: Type.String({ description: 'The identity provider' }),
    created_at: timestamp('When they first signed in'),
    last_sign_in_at: nullable(timestamp('When they last signed in'), 'null: they never came through'),
    disabled_at: nullable(timestamp('Since when they may not sign in'), 'null: they may'),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;
