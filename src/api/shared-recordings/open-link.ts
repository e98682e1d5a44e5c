import type { FastifyRequest } from 'fastify';
import { grantOf } from '../../access/socket-token.ts';
import type { TokenKeys } from '../../access/token-keys.ts';
import { ApiError } from '../../contract/http/errors.ts';
import { isWatchLink } from '../../contract/http/watch-link.ts';
import { unauthorized } from '../../control-plane/refusal-errors.ts';
import type { SessionRow } from '../../store/entities.ts';
import { addressOf } from '../address.ts';
import type { ApiContext } from '../context.ts';
import { Cookie } from '../sign-in/cookies.ts';
import { isSameOrigin, isSecure } from '../sign-in/session-cookie.ts';

/** A link to a recording whose token was verified. */
export interface OpenLink {
  session: SessionRow;
  token: string;
  link: { id: string; expiresAt: number; remainingMs: number };
}

export type LinkContext = Pick<ApiContext, 'store' | 'limits' | 'trail'> & {
  tokenKeys: Pick<TokenKeys, 'verify'>;
};

/** Each recording has its own cookie, so that one browser can show several. */
export const cookieOf = (
  sessionId: string,
  { isSecure, seconds }: { isSecure: boolean; seconds: number | null },
) => new Cookie(`phonebooth-recording-${sessionId}`, { sameSite: 'Strict', seconds, isSecure });

/**
 * Verifies the token of a link, in the `Authorization` header or in the cookie of a browser that opened the link.
 * @throws ApiError 40001 when the token is not valid for the session, or the link is revoked or expired; 40003 for the
 * cookie on a page of another origin; 40029
 */
export async function openLink(
  context: LinkContext,
  request: FastifyRequest,
  sessionId: string,
): Promise<OpenLink> {
  const { limits, trail } = context;
  const address = addressOf(request);
  limits.admitUnknownKey(address);
  const token = tokenOf(request, sessionId);
  const found = token === null ? null : await find(context, sessionId, token);
  if (!found) {
    limits.recordFailure(address);
    await trail.authenticationFailed({ action: 'shared-recordings.open', address });
    throw unauthorized('the link is invalid, revoked or expired; ask for a new link to the recording');
  }
  limits.admitKey(found.link.id, { connects: false });
  return found;
}

async function find(
  { store, tokenKeys }: LinkContext,
  sessionId: string,
  token: string,
): Promise<OpenLink | null> {
  const linkId = grantOf(token);
  if (linkId === null || !isWatchLink(linkId)) return null;
  const session = await store.getSession(sessionId);
  if (!session) return null;
  if (!(await tokenKeys.verify(token, { purpose: 'recording', sessionId, epoch: session.epoch })))
    return null;
  const link = await store.getWatchLink({ linkId, sessionId });
  if (!link?.expiresAt || !(await store.validGrants([linkId])).includes(linkId)) return null;
  const now = session.expiresAt - session.remainingMs;
  return {
    session,
    token,
    link: { id: linkId, expiresAt: link.expiresAt, remainingMs: link.expiresAt - now },
  };
}

function tokenOf(request: FastifyRequest, sessionId: string): string | null {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) return /^Bearer +([\w.-]{1,128})$/i.exec(authorization)?.[1] ?? null;
  if (!/^[\w-]{1,128}$/.test(sessionId)) return null;
  const secure = isSecure(request) ? [true] : [true, false];
  const [token] = secure
    .map((isSecureCookie) => cookieOf(sessionId, { isSecure: isSecureCookie, seconds: null }).read(cookie))
    .filter((value) => value !== null);
  if (token === undefined) return null;
  if (!isSameOrigin(request))
    throw new ApiError(
      'forbidden',
      'the cookie of a recording is only valid for requests from pages of this service',
    );
  return token;
}
