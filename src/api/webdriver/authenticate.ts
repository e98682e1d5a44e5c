import { grantOf } from '../../access/socket-token.ts';
import type { TokenKeys } from '../../access/token-keys.ts';
import { invalidKey, unauthorized } from '../../control-plane/refusal-errors.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import { WebDriverError } from '../../webdriver/protocol/errors.ts';
import { authorise } from '../authorise.ts';
import type { ApiContext } from '../context.ts';

export type WebDriverCaller = Pick<Principal, 'keyId' | 'accountId' | 'role' | 'limitKeyId'>;

type AuthContext = Pick<ApiContext, 'authenticator' | 'store' | 'limits'> & {
  tokenKeys: Pick<TokenKeys, 'verify'>;
};

const SESSION_ID = /^(ses_[\w-]{1,90})(?:~([\w.-]{1,200}))?$/;

/** The identifier of a WebDriver session: that of the session on the phone, and a token if its client sends no header. */
export interface WebDriverSessionId {
  sessionId: string;
  token: string | null;
}

/** @throws WebDriverError `invalid session id` */
export function parseSessionId(text: string): WebDriverSessionId {
  const [, sessionId, token] = SESSION_ID.exec(text) ?? [];
  if (sessionId === undefined) throw noSuchSession();
  return { sessionId, token: token ?? null };
}

export const noSuchSession = () =>
  new WebDriverError(
    'invalid session id',
    'the session does not exist, has ended, or belongs to another account',
  );

/**
 * The identifier of a session whose client may send no header later, because its key was in the capabilities or in Basic
 * authentication. It contains a token of that key for this session, which becomes invalid when the session ends or the
 * key becomes invalid.
 */
export function sessionIdWithToken(
  tokenKeys: Pick<TokenKeys, 'sign'>,
  { id, epoch }: SessionRow,
  keyId: string,
): string {
  return `${id}~${tokenKeys.sign({ purpose: 'webdriver', sessionId: id, epoch, grantId: keyId })}`;
}

/**
 * The `Authorization` header of the API for what a WebDriver client sends: Bearer, or Basic with any user and the key
 * as its password. Undefined if there is none.
 */
export function bearerOf(header: string | undefined): string | undefined {
  const encoded = /^Basic +([\w+/=-]{1,2000})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return header || undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return `Bearer ${pair.slice(pair.indexOf(':') + 1)}`;
}

/** Authenticates a request with a key. @throws ApiError 40001, 40003, 40029 */
export async function authenticateKey(
  { authenticator, limits }: AuthContext,
  header: string | undefined,
  address: string,
  { connects }: { connects: boolean },
): Promise<WebDriverCaller> {
  if (header === undefined)
    throw unauthorized(
      'the key is missing: send Authorization: Bearer <API_KEY>, Basic with the key as password, or the capability phonebooth:options.apiKey',
    );
  const principal = await authenticator.authenticate(header, address);
  limits.admitKey(principal.limitKeyId, { connects });
  return borrower(principal);
}

/** Authenticates a request by the token in its session id. @throws WebDriverError, ApiError */
export async function authenticateToken(
  { store, limits, tokenKeys }: AuthContext,
  { sessionId, token }: WebDriverSessionId,
  address: string,
): Promise<WebDriverCaller> {
  limits.admitUnknownKey(address);
  const keyId = grantOf(token ?? '');
  const [key, valid] =
    keyId === null ? [null, []] : await Promise.all([store.getKey(keyId), store.validGrants([keyId])]);
  const row = key && (await store.getSession(sessionId, key.accountId));
  const isValid =
    row && (await tokenKeys.verify(token!, { purpose: 'webdriver', sessionId, epoch: row.epoch }));
  if (!key || !isValid) {
    limits.recordFailure(address);
    throw noSuchSession();
  }
  if (!valid.includes(key.id)) throw invalidKey();
  limits.admitKey(key.id, { connects: false });
  return borrower({ keyId: key.id, accountId: key.accountId, role: key.role, limitKeyId: key.id });
}

/** @throws ApiError 40003 for a key that may only watch */
function borrower(caller: WebDriverCaller): WebDriverCaller {
  authorise(caller.role, 'borrow');
  return caller;
}
