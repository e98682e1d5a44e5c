import type { FastifyRequest } from 'fastify';
import { addressOf } from '../address.ts';
import type { Authenticator } from '../authenticate.ts';
import type { ApiContext } from '../implement.ts';

/** Has the key of the request expire, if it came of signing in; others stay, since they may be in use elsewhere. */
export async function signOut(
  { store, limits }: Pick<ApiContext, 'store' | 'limits'>,
  authenticator: Authenticator,
  request: FastifyRequest,
): Promise<Record<string, never>> {
  const address = addressOf(request);
  const { accountId, keyId } = await authenticator.authenticate(request.headers.authorization, address);
  limits.admitKey(keyId, { lends: false });
  await store.endSignIn(keyId, { accountId, keyId, action: 'sign-out', address, targets: [] });
  return {};
}
