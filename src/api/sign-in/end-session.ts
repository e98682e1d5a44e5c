import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../address.ts';
import type { ApiContext } from '../context.ts';
import { authorizationOf, deletedSessionCookies } from './session-cookie.ts';

/**
 * Ends the browser session of the request, and deletes its cookie even if it is no longer valid. An API key stays valid,
 * because it may be in use elsewhere.
 * @throws ApiError 40001, 40003, 40029
 */
export async function endSession(
  { store, authenticator }: Pick<ApiContext, 'store' | 'authenticator'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Record<string, never>> {
  const address = addressOf(request);
  const authorization = authorizationOf(request);
  reply.header('set-cookie', deletedSessionCookies());
  const { accountId, keyId } = await authenticator.authenticate(authorization, address);
  await store.endSignIn(keyId, { accountId, keyId, action: 'sign-out', address, targets: [] });
  return {};
}
