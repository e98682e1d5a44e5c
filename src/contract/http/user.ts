import { type Static, Type } from 'typebox';
import { Role } from './key.ts';
import { nullable, timestamp } from './operation.ts';
import { UserName } from './user-name.ts';

/** A person who signs in at an identity provider, with the data that the provider supplied at the last sign-in. */
export const User = Type.Object(
  {
    ...UserName.properties,
    email: nullable(Type.String(), 'null if the provider supplies none'),
    account: Type.Object({ id: Type.String(), name: Type.String() }),
    role: { ...Role, description: 'Role of the keys that the user receives by signing in' },
    issuer: Type.String({ description: 'Issuer URL of the identity provider' }),
    created_at: timestamp('Time of the first sign-in'),
    last_sign_in_at: nullable(
      timestamp('Time of the last sign-in'),
      'null if the user never completed a sign-in',
    ),
    disabled_at: nullable(timestamp('Time at which the user was disabled'), 'null if the user is enabled'),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;
