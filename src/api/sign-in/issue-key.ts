import type { FastifyReply, FastifyRequest } from 'fastify';
import { factsOfKey, newApiKey } from '../../access/api-key.ts';
import { ApiError } from '../../contract/http/errors.ts';
import type { SignedIn } from '../../contract/http/sign-in.ts';
import { iso } from '../../control-plane/iso.ts';
import { addressOf } from '../address.ts';
import { type SignInContext, ticketHash } from './context.ts';

/** Maximum number of keys per user that were issued by a sign-in, usually one per browser. */
const MAX_KEYS = 10;

/**
 * Issues a key to the console in exchange for its ticket, once. Pages of other sites cannot obtain a key: their
 * requests do not include the cookie, and their `Origin` differs.
 * @throws ApiError 40003, 40001
 */
export async function issueKey(
  { store, settings, cookies, limits }: SignInContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn> {
  const address = addressOf(request);
  limits.admitUnknownKey(address);
  if (request.headers.origin !== settings.publicUrl)
    throw new ApiError(
      'forbidden',
      `this request is only accepted from the console at ${settings.publicUrl} (PHONEBOOTH_PUBLIC_URL); sign in there`,
    );
  reply.header('set-cookie', cookies.ticket.deleteHeader);
  const ticket = cookies.ticket.read(request.headers.cookie);
  const key = newApiKey();
  const row =
    ticket &&
    (await store.claimKey(
      {
        ticketHash: ticketHash(ticket),
        key: { name: 'Console', ...factsOfKey(key), validForMs: settings.keyForMs },
        maxKeys: MAX_KEYS,
      },
      { accountId: null, keyId: null, action: 'sign-in', address, targets: [] },
    ));
  if (!row) {
    limits.recordFailure(address);
    throw new ApiError(
      'unauthorized',
      'the sign-in has expired, or its key was already fetched; sign in again',
    );
  }
  return { key, expires_at: iso(row.expiresAt!) };
}
