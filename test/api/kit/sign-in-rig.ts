import { once } from 'node:events';
import { type IncomingHttpHeaders, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import type { RequestRates } from '../../../src/api/limits/request-limits.ts';
import { buildApi } from '../../../src/api/server.ts';
import { addSignIn } from '../../../src/api/sign-in/routes.ts';
import type { SignInSettings } from '../../../src/api/sign-in/settings.ts';
import { freePort } from '../../fixtures/free-port.ts';
import { CLIENT_ID, IdentityProviderFixture } from '../../fixtures/identity-provider/identity-provider.ts';
import { type ApiRig, startApiRig } from '../api-rig.ts';

export interface SignInRig extends AsyncDisposable {
  rig: ApiRig;
  provider: IdentityProviderFixture;
  /** Origins of the process that browsers use and of another process on the same store. */
  origin: string;
  otherOrigin: string;
}

/** Starts two API instances on one store, with an identity provider to sign in at. */
export async function startSignInRig(
  options: {
    clientSecret?: string | null;
    settings?: Partial<SignInSettings>;
    rates?: Partial<RequestRates>;
  } = {},
): Promise<SignInRig> {
  await using opening = new AsyncDisposableStack();
  const { clientSecret = 'a-secret-of-the-client' } = options;
  const provider = opening.use(await IdentityProviderFixture.start({ clientSecret }));
  const rig = opening.use(await startApiRig({ rates: options.rates }));
  const [port, otherPort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${port}`;
  const settings: SignInSettings = {
    ...{ issuer: provider.issuer, clientId: CLIENT_ID, clientSecret, name: 'Example ID' },
    ...{ scopes: 'openid profile email', groupsClaim: 'groups', keyForMs: 3_600_000, publicUrl: origin },
    rules: [
      { group: 'phone-admins', account: 'ops', role: 'admin' },
      { group: 'qa', account: 'qa', role: 'user' },
    ],
    ...options.settings,
  };
  for (const at of [port, otherPort]) {
    const api = await serve(rig, settings, at);
    opening.defer(() => api.close());
  }
  const opened = opening.move();
  return {
    ...{ rig, provider, origin, otherOrigin: `http://localhost:${otherPort}` },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function serve(rig: ApiRig, settings: SignInSettings, port: number): Promise<FastifyInstance> {
  const api = await buildApi(rig.context);
  addSignIn(api, rig.context, settings);
  await api.listen({ port, host: 'localhost' });
  return api;
}

export interface Seen {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The parts of a browser that a sign-in needs: it keeps cookies and follows redirects. */
export class CookieBrowser {
  readonly cookies = new Map<string, string>();

  async ask(
    url: string,
    options: {
      method?: string;
      headers?: Record<string, string>;
      form?: Record<string, string>;
      json?: object;
    } = {},
  ): Promise<Seen> {
    const { method = options.form ? 'POST' : 'GET', headers, form, json } = options;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form ? new URLSearchParams(form).toString() : json && JSON.stringify(json);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const asked = send(url, {
      method,
      agent: false,
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(body && { 'content-type': type }),
        ...headers,
      },
    });
    asked.end(body);
    const [response] = await once(asked, 'response');
    for (const line of response.headers['set-cookie'] ?? []) this.take(line);
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  /**
   * Follows redirects from an address and returns the last one. If `until` accepts an address, the browser stops
   * there without requesting it.
   */
  async follow(url: string, until: (url: URL) => boolean): Promise<URL> {
    let at = new URL(url);
    for (let step = 0; step < 10 && !until(at); step += 1) {
      const { headers } = await this.ask(at.href);
      if (headers.location === undefined) break;
      at = new URL(headers.location, at);
    }
    return at;
  }

  private take(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    const isGone = /max-age=0|expires=Thu, 01 Jan 1970/i.test(line);
    if (isGone) this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }
}

const isDone = ({ pathname }: URL) => pathname === '/signed-in';
const isAsking = ({ pathname }: URL) => pathname.startsWith('/interaction/');
const isCallback = ({ pathname }: URL) => pathname === '/auth/oidc/callback';

/**
 * Signs in up to the point where the provider redirects the browser back. Returns that address, which was not
 * requested.
 */
export async function returnToService(
  browser: CookieBrowser,
  { origin }: Pick<SignInRig, 'origin'>,
  login: string,
  change: (authorization: URL) => void = () => {},
): Promise<URL> {
  const started = await browser.ask(`${origin}/auth/oidc/start`);
  const authorization = new URL(started.headers.location!);
  change(authorization);
  const page = await browser.follow(authorization.href, (at) => isAsking(at) || isCallback(at));
  // The provider recognizes a browser that has already signed in
  if (isCallback(page)) return page;
  const answered = await browser.ask(page.href, { form: { login, answer: login === '' ? 'no' : 'yes' } });
  return browser.follow(new URL(answered.headers.location!, page).href, isCallback);
}

/** Completes a sign-in. Returns what the console receives: null on success, or the problem. */
export async function walkThrough(
  browser: CookieBrowser,
  at: Pick<SignInRig, 'origin'>,
  login: string,
): Promise<string | null> {
  const back = await returnToService(browser, at, login);
  return problemIn(await browser.follow(back.href, isDone));
}

export const finish = async (browser: CookieBrowser, callback: URL): Promise<string | null> =>
  problemIn(await browser.follow(callback.href, isDone));

function problemIn(url: URL): string | null {
  if (!isDone(url)) throw new Error(`the browser stopped at ${url.origin}${url.pathname}`);
  return url.searchParams.get('problem');
}

/** Name of the cookie of a browser session over plain HTTP. */
export const SESSION_COOKIE = 'phonebooth-session';

/** Opens the browser session after a sign-in, as the console does. Returns its secret, which is a key. */
export async function fetchKey(
  browser: CookieBrowser,
  { origin }: Pick<SignInRig, 'origin'>,
  from = origin,
): Promise<{ status: number; code: number; key: string | null }> {
  const { status, body } = await browser.ask(`${origin}/auth/oidc/session`, {
    method: 'POST',
    headers: { origin: from },
    json: { remember: false },
  });
  const { code } = JSON.parse(body);
  const key = code === 0 ? browser.cookies.get(SESSION_COOKIE)! : null;
  return { status, code, key };
}
