import { type Static, Type } from 'typebox';
import { nullable, strict, timestamp } from './operation.ts';

/**
 * The paths for signing in to the console without entering a key. They are not part of the versioned API, because
 * they are for browsers.
 */
export const SIGN_IN_PATHS = {
  ways: '/auth',
  start: '/auth/oidc/start',
  callback: '/auth/oidc/callback',
  /** Exchanges the ticket of a sign-in for a browser session. */
  exchange: '/auth/oidc/session',
  /** The browser session: POST opens one with an API key, DELETE ends it. */
  session: '/auth/session',
  /** The console page to which a browser returns with a ticket, or with a problem in the query. */
  done: '/signed-in',
} as const;

export const SignInWays = Type.Object({
  oidc: nullable(
    Type.Object({
      name: Type.String({ description: 'Name of the identity provider' }),
      start_url: Type.String({ description: 'URL to open in the browser' }),
    }),
    'Sign-in at an identity provider; null if none is configured',
  ),
});
export type SignInWays = Static<typeof SignInWays>;

/** What the console asks for when it opens a browser session. */
export const BrowserSessionWish = strict({
  remember: Type.Boolean({ description: 'Whether the browser stays signed in after it is closed' }),
});

/** A browser session. Its secret is only in a cookie that scripts cannot read. */
export const BrowserSession = Type.Object({
  id: Type.String({ description: 'Identifier of its key; it is not a secret' }),
  expires_at: timestamp('Time at which the session expires'),
});
export type BrowserSession = Static<typeof BrowserSession>;

/** Why signing in failed. */
export const SIGN_IN_PROBLEMS = [
  /** The person or the provider refused. */
  'denied',
  /** It took too long, was already completed, or was started in another browser. */
  'expired',
  /** The person is not in a group that may use the service. */
  'no_access',
  'user_disabled',
  'account_disabled',
  /** The provider does not respond. */
  'unreachable',
  /** The provider rejects the service's credentials or its request: a setting is wrong. */
  'misconfigured',
  /** The clocks of the service and the provider differ too much. */
  'clock',
  /** The provider's response failed verification. */
  'untrusted',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];
