import type { FastifyReply, FastifyRequest } from 'fastify';
import { factsOfKey, newApiKey } from '../../access/api-key.ts';
import { ApiError } from '../../contract/http/errors.ts';
import type { BrowserSession } from '../../contract/http/sign-in.ts';
import { addressOf } from '../address.ts';
import { type SignInContext, ticketHash } from './context.ts';
import { begin, MAX_BROWSER_SESSIONS, readWish } from './open-session.ts';

/**
 * Opens a browser session for the console in exchange for its ticket, once. Pages of other sites cannot do this: their
 * requests do not include the cookie, and their `Origin` differs.
 * @throws ApiError 40000, 40003, 40001
 */
export async function exchangeTicket(
  { store, settings, cookies, limits }: SignInContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<BrowserSession> {
  const address = addressOf(request);
  limits.admitUnknownKey(address);
  if (request.headers.origin !== settings.publicUrl)
    throw new ApiError(
      'forbidden',
      `this request is only accepted from the console at ${settings.publicUrl} (PHONEBOOTH_PUBLIC_URL); sign in there`,
    );
  const { remember } = readWish(request);
  reply.header('set-cookie', cookies.ticket.deleteHeader);
  const ticket = cookies.ticket.read(request.headers.cookie);
  const secret = newApiKey();
  const row =
    ticket &&
    (await store.claimKey(
      {
        ticketHash: ticketHash(ticket),
        key: { name: 'Console', ...factsOfKey(secret), validForMs: settings.keyForMs },
        maxKeys: MAX_BROWSER_SESSIONS,
      },
      { accountId: null, keyId: null, action: 'sign-in', address, targets: [] },
    ));
  if (!row) {
    limits.recordFailure(address);
    throw new ApiError('unauthorized', 'the sign-in has expired or was already completed; sign in again');
  }
  return begin(request, reply, { row, secret, remember });
}
