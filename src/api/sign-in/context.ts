import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SIGN_IN_PATHS } from '../../contract/sign-in.ts';
import { addressOf } from '../address.ts';
import type { AuditTrail } from '../admin/audit/trail.ts';
import type { ApiContext } from '../implement.ts';
import { Cookie } from './cookies.ts';
import { describeCause, SignInError } from './problem.ts';
import type { IdentityProvider } from './provider.ts';
import { SEALING_KEY } from './seal.ts';
import type { SignInSettings } from './settings.ts';

/** How long somebody may take at the provider. */
export const ATTEMPT_S = 600;
/** How long the console may take to fetch the key. */
export const TICKET_S = 60;

/** What the steps of signing in work with. */
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
    // The provider's page leads back here, so it has to come along from another site
    attempt: new Cookie('phonebooth-sign-in', { sameSite: 'Lax', seconds: ATTEMPT_S, isSecure }),
    ticket: new Cookie('phonebooth-ticket', { sameSite: 'Strict', seconds: TICKET_S, isSecure }),
  };
}

/** The newest first; asked for each time, since the command line may replace it. */
export const sealingKeys = ({ store }: Pick<SignInContext, 'store'>) => store.secrets(SEALING_KEY);

/** What is kept of a ticket. */
export const ticketHash = (ticket: string) => createHash('sha256').update(ticket).digest('hex');

/** Sends the browser to the console, which says what is wrong and what to do. @throws what is no SignInError */
export function turnAway(
  { log, limits }: Pick<SignInContext, 'log' | 'limits'>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  if (!(error instanceof SignInError)) throw error;
  const { problem, cause } = error;
  if (problem === 'expired' || problem === 'untrusted') limits.noteFailure(addressOf(request));
  const why = cause === undefined ? {} : describeCause(cause);
  log.warn({ requestId: request.id, problem, ...why }, 'somebody could not sign in');
  return reply.redirect(`${SIGN_IN_PATHS.done}?problem=${problem}`);
}
