import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { factsOfKey, newApiKey } from '../../access/api-key.ts';
import { none } from '../../contract/http/operation.ts';
import { type BrowserSession, BrowserSessionWish } from '../../contract/http/sign-in.ts';
import { iso } from '../../control-plane/iso.ts';
import { invalidKey } from '../../control-plane/refusal-errors.ts';
import type { KeyRow } from '../../store/entities.ts';
import { addressOf } from '../address.ts';
import type { ApiContext } from '../context.ts';
import { requestReader } from '../read-request.ts';
import { sessionCookies } from './session-cookie.ts';

/** Maximum number of valid browser sessions per key or user, usually one per browser. */
export const MAX_BROWSER_SESSIONS = 10;

const read = requestReader({ params: none, query: none, body: BrowserSessionWish });

/** @throws ApiError 40000 */
export const readWish = (request: FastifyRequest) =>
  read({ params: {}, query: {}, body: request.body }).body as Static<typeof BrowserSessionWish>;

const DAY_MS = 24 * 3_600_000;
/** A session that ends with the browser lasts for a working day, and one that the user asked to keep for a month. */
const VALID_FOR_MS = { untilClosed: DAY_MS / 2, remembered: 30 * DAY_MS };

/**
 * Opens a browser session with the API key in the `Authorization` header. Pages of other origins cannot do this: they
 * have no key, and the header makes their browser ask for permission first, which it does not get.
 * @throws ApiError 40000, 40001, 40029
 */
export async function openSession(
  { store, limits, authenticator }: Pick<ApiContext, 'store' | 'limits' | 'authenticator'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<BrowserSession> {
  const address = addressOf(request);
  const { accountId, keyId, limitKeyId } = await authenticator.authenticate(
    request.headers.authorization,
    address,
  );
  // It writes as much as a connect, so the stricter limit applies.
  limits.admitKey(limitKeyId, { connects: true });
  const { remember } = readWish(request);
  const secret = newApiKey();
  const validForMs = remember ? VALID_FOR_MS.remembered : VALID_FOR_MS.untilClosed;
  const row = await store.openBrowserSession(
    {
      keyId,
      session: { ...factsOfKey(secret), validForMs },
      maxSessions: MAX_BROWSER_SESSIONS,
    },
    { accountId, keyId, action: 'sign-in', address, targets: [] },
  );
  if (!row) throw invalidKey();
  return begin(request, reply, { row, secret, remember });
}

/** Sets the cookie of a new browser session, which replaces an earlier one. */
export function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  { row, secret, remember }: { row: KeyRow; secret: string; remember: boolean },
): BrowserSession {
  const seconds = remember ? Math.floor((row.expiresAt! - row.createdAt) / 1000) : null;
  reply.header('set-cookie', sessionCookies(request, secret, seconds));
  return { id: row.id, expires_at: iso(row.expiresAt!) };
}
