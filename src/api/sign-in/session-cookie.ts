import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/http/errors.ts';
import { Cookie } from './cookies.ts';

type BrowserRequest = Pick<FastifyRequest, 'headers' | 'protocol' | 'host' | 'method'>;

const NAME = 'phonebooth-session';
const cookie = (isSecure: boolean, seconds: number | null = null) =>
  new Cookie(NAME, { sameSite: 'Strict', seconds, isSecure });

/** A proxy that terminates TLS may forward plain HTTP, but a browser states the scheme of the page in `Origin`. */
export const isSecure = ({ headers, protocol }: BrowserRequest) =>
  protocol === 'https' || (headers.origin ?? '').startsWith('https:');

/**
 * `Set-Cookie` headers of a new session. The cookie of the other scheme is deleted, because browsers also send it to
 * this one on the same host.
 * @param seconds how long the browser keeps the cookie; null: until it is closed
 */
export const sessionCookies = (request: BrowserRequest, secret: string, seconds: number | null): string[] => [
  cookie(isSecure(request), seconds).setHeader(secret),
  cookie(!isSecure(request)).deleteHeader,
];

/** `Set-Cookie` headers that delete the cookie. */
export const deletedSessionCookies = (): string[] =>
  [true, false].map((secure) => cookie(secure).deleteHeader);

/**
 * The `Authorization` header of a request: its own, or one with the key in the session cookie of a browser.
 * @throws ApiError 40003 when a page of another origin sent the request, because the browser may add the cookie to it
 */
export function authorizationOf(request: BrowserRequest): string | undefined {
  const { authorization, cookie: cookies } = request.headers;
  if (authorization !== undefined || cookies === undefined) return authorization;
  const names = isSecure(request) ? [true] : [true, false];
  const [secret] = names.map((secure) => cookie(secure).read(cookies)).filter((value) => value !== null);
  if (secret === undefined) return undefined;
  if (!isSameOrigin(request))
    throw new ApiError(
      'forbidden',
      'the session of a browser is only valid for requests from the console itself; use an API key elsewhere',
    );
  return `Bearer ${secret}`;
}

/**
 * Whether a request with a cookie comes from a page of the same origin. `SameSite` is not sufficient, because other
 * ports and sibling domains are the same site. Browsers send `Sec-Fetch-Site` over TLS and to localhost, and `Origin`
 * with every request that can change something
 * (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html).
 */
export function isSameOrigin({ headers, host, method }: BrowserRequest): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  // `none` is a request of the user, such as an address that was typed.
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  return method === 'GET' || method === 'HEAD';
}
