import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS } from '../../contract/http/errors.ts';
import { SIGN_IN_PATHS, type SignInProblem } from '../../contract/http/sign-in.ts';
import { publishSessions } from '../../control-plane/session-changes.ts';
import { accessOf } from '../../domain/group-access.ts';
import type { AdmitOutcome } from '../../store/accounts/user-store.ts';
import { addressOf } from '../address.ts';
import { rejectSignIn, type SignInContext, sealingKeys, TICKET_S, ticketHash } from './context.ts';
import type { Identity } from './identity.ts';
import { SignInError } from './problem.ts';
import { unseal } from './seal.ts';
import { ATTEMPT, type SealedAttempt } from './start.ts';

const PROBLEM_OF = {
  'no-access': 'no_access',
  'user-disabled': 'user_disabled',
  'account-disabled': 'account_disabled',
} as const satisfies Record<string, SignInProblem>;

/**
 * Handles the redirect back from the identity provider. An admitted browser receives a ticket, with which the console
 * opens a browser session, so that no URL contains a secret. The attempt ends, whatever the outcome.
 */
export async function callback(
  context: SignInContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { attempt: attemptCookie, ticket: ticketCookie } = context.cookies;
  context.limits.admitUnknownKey(addressOf(request));
  reply.header('set-cookie', attemptCookie.deleteHeader);
  try {
    const attempt = await attemptOf(context, request.headers.cookie);
    const identity = await context.provider.identify(request.url.split('?')[1] ?? '', attempt);
    const ticket = await admit(context, request, identity);
    return reply.header('set-cookie', ticketCookie.setHeader(ticket)).redirect(SIGN_IN_PATHS.done);
  } catch (error) {
    return rejectSignIn(context, request, reply, error);
  }
}

/** @throws SignInError unless the browser has an attempt that has not expired */
async function attemptOf(context: SignInContext, cookies: string | undefined): Promise<SealedAttempt> {
  const sealed = context.cookies.attempt.read(cookies);
  const attempt = sealed && (await unseal<SealedAttempt>(await sealingKeys(context), ATTEMPT, sealed));
  if (!attempt || attempt.until < Date.now()) throw new SignInError('expired');
  return attempt;
}

/** Admits the user and returns a ticket. @throws SignInError */
async function admit(context: SignInContext, request: FastifyRequest, who: Identity): Promise<string> {
  const { store, settings, newAccounts } = context;
  const rule = accessOf(settings.rules, who.groups);
  const ticket = randomBytes(32).toString('base64url');
  const outcome = await store.admitUser({
    identity: { issuer: who.issuer, subject: who.subject, name: who.name, email: who.email },
    access: rule && { account: { name: rule.account, ...newAccounts }, role: rule.role },
    ticket: { hash: ticketHash(ticket), validForMs: TICKET_S * 1_000 },
  });
  publishSessions(context, outcome.ended);
  if (outcome.ok) return ticket;
  await recordRefusal(context, request, outcome);
  throw new SignInError(PROBLEM_OF[outcome.why]);
}

/**
 * Records a rejected sign-in of a user known to the service. Other rejected sign-ins are not recorded, because the
 * entry would contain nothing that the provider does not already have.
 */
async function recordRefusal(
  { trail }: SignInContext,
  request: FastifyRequest,
  { user }: Extract<AdmitOutcome, { ok: false }>,
): Promise<void> {
  if (!user) return;
  await trail.add({
    accountId: user.accountId,
    keyId: null,
    address: addressOf(request),
    action: 'sign-in',
    code: ERRORS.forbidden.code,
    targets: [{ kind: 'user', id: user.id }],
  });
}
