import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';

/** The ways into the console beside a key, which the sign-in page offers. Outside of the versioned API: it is for browsers. */
export const SIGN_IN_PATHS = {
  ways: '/auth',
  start: '/auth/oidc/start',
  callback: '/auth/oidc/callback',
  key: '/auth/oidc/key',
  /** The console's own page, where a browser comes back to with a ticket, or with a problem in its query. */
  done: '/signed-in',
} as const;

export const SignInWays = Type.Object({
  oidc: nullable(
    Type.Object({
      name: Type.String({ description: 'What people call the identity provider' }),
      start_url: Type.String({ description: 'Where to send the browser' }),
    }),
    'Sign-in at an identity provider; null: there is none',
  ),
});
export type SignInWays = Static<typeof SignInWays>;

/** What whoever has signed in gets for the ticket in their cookie, once. */
export const SignedIn = Type.Object({ key: Type.String(), expires_at: timestamp('When the key expires') });
export type SignedIn = Static<typeof SignedIn>;

/** Why somebody who wanted to sign in did not come in. */
export const SIGN_IN_PROBLEMS = [
  /** They, or the provider, said no. */
  'denied',
  /** It took too long, was done before, or began in another browser. */
  'expired',
  /** They are in no group that may use the service. */
  'no_access',
  'user_disabled',
  'account_disabled',
  /** The provider does not answer. */
  'unreachable',
  /** The provider takes the service, or what it asks for, for wrong: a setting is. */
  'misconfigured',
  /** The clocks of the two are too far apart. */
  'clock',
  /** What came back is not to be trusted. */
  'untrusted',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];
