import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECRET } from '../../access/secret-names.ts';
import { SIGN_IN_PATHS } from '../../contract/http/sign-in.ts';
import type { AuditTrail } from '../../control-plane/audit/trail.ts';
import { addressOf } from '../address.ts';
import type { ApiContext } from '../context.ts';
import { Cookie } from './cookies.ts';
import { describeCause, SignInError } from './problem.ts';
import type { IdentityProvider } from './provider.ts';
import type { SignInSettings } from './settings.ts';

/** Maximum time that a user may spend at the identity provider. */
export const ATTEMPT_S = 600;
/** Maximum time that the console may take to open the browser session. */
export const TICKET_S = 60;

/** The services that the steps of signing in use. */
export interface SignInContext
  extends Pick<ApiContext, 'store' | 'bus' | 'log' | 'meter' | 'limits' | 'newAccounts'> {
  settings: SignInSettings;
  provider: IdentityProvider;
  cookies: ReturnType<typeof cookiesFor>;
  trail: AuditTrail;
}

export function cookiesFor({ publicUrl }: SignInSettings) {
  const isSecure = publicUrl.startsWith('https:');
  return {
    // Lax, because the redirect back from the provider is a cross-site navigation and must include the cookie.
    attempt: new Cookie('phonebooth-sign-in', { sameSite: 'Lax', seconds: ATTEMPT_S, isSecure }),
    ticket: new Cookie('phonebooth-ticket', { sameSite: 'Strict', seconds: TICKET_S, isSecure }),
  };
}

/** Sealing keys, newest first. They are read on each use, because a command may replace them. */
export const sealingKeys = ({ store }: Pick<SignInContext, 'store'>) => store.listSecrets(SECRET.signIn);

/** The stored form of a ticket. */
export const ticketHash = (ticket: string) => createHash('sha256').update(ticket).digest('hex');

/**
 * Redirects the browser to the console, which shows the problem and what to do. @throws any error that is not a
 * SignInError
 */
export function rejectSignIn(
  { log, limits }: Pick<SignInContext, 'log' | 'limits'>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  if (!(error instanceof SignInError)) throw error;
  const { problem, cause } = error;
  if (problem === 'expired' || problem === 'untrusted') limits.recordFailure(addressOf(request));
  const why = cause === undefined ? {} : describeCause(cause);
  log.warn({ requestId: request.id, problem, ...why }, 'sign-in failed');
  return reply.redirect(`${SIGN_IN_PATHS.done}?problem=${problem}`);
}
