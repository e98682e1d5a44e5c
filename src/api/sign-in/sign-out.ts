import type { FastifyRequest } from 'fastify';
import { addressOf } from '../address.ts';
import type { Authenticator } from '../authenticate.ts';
import type { ApiContext } from '../implement.ts';

/**
 * Expires the key of the request if it was issued by a sign-in. Other keys stay valid, because they may be in use
 * elsewhere.
 */
export async function signOut(
  { store, limits }: Pick<ApiContext, 'store' | 'limits'>,
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<Record<string, never>> {
  const address = addressOf(request);
  const { accountId, keyId } = await authenticator.authenticate(request.headers.authorization, address);
  limits.admitKey(keyId, { connects: false });
  await store.endSignIn(keyId, { accountId, keyId, action: 'sign-out', address, targets: [] });
  return {};
}
