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
  /** Of the process that browsers find, and of another one on the same store. */
  origin: string;
  otherOrigin: string;
}

/** Two processes' worth of API on one store, with a provider to sign in at. */
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

/** A browser, as far as signing in needs one: it keeps cookies, and follows where it is told to. */
export class CookieBrowser {
  readonly cookies = new Map<string, string>();

  async ask(
    url: string,
    options: { method?: string; headers?: Record<string, string>; form?: Record<string, string> } = {},
  ): Promise<Seen> {
    const { method = options.form ? 'POST' : 'GET', headers, form } = options;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form && new URLSearchParams(form).toString();
    const asked = send(url, {
      method,
      agent: false,
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    asked.end(body);
    const [response] = await once(asked, 'response');
    for (const line of response.headers['set-cookie'] ?? []) this.take(line);
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  /** Goes to an address and wherever that leads; answers the last address, which `until` may cut short, unasked. */
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

/** As far as the provider's sending the browser back; answers that address, which was not asked. */
export async function comeBack(
  browser: CookieBrowser,
  { origin }: Pick<SignInRig, 'origin'>,
  login: string,
  change: (authorization: URL) => void = () => {},
): Promise<URL> {
  const started = await browser.ask(`${origin}/auth/oidc/start`);
  const authorization = new URL(started.headers.location!);
  change(authorization);
  const page = await browser.follow(authorization.href, (at) => isAsking(at) || isCallback(at));
  // The provider remembers who has signed in with this browser
  if (isCallback(page)) return page;
  const answered = await browser.ask(page.href, { form: { login, answer: login === '' ? 'no' : 'yes' } });
  return browser.follow(new URL(answered.headers.location!, page).href, isCallback);
}

/** All the way; answers what the console is told: null, or what the problem is. */
export async function walkThrough(
  browser: CookieBrowser,
  at: Pick<SignInRig, 'origin'>,
  login: string,
): Promise<string | null> {
  const back = await comeBack(browser, at, login);
  return problemIn(await browser.follow(back.href, isDone));
}

export const finish = async (browser: CookieBrowser, callback: URL): Promise<string | null> =>
  problemIn(await browser.follow(callback.href, isDone));

function problemIn(url: URL): string | null {
  if (!isDone(url)) throw new Error(`the browser ended at ${url.origin}${url.pathname}`);
  return url.searchParams.get('problem');
}

/** What the console does then. */
export async function fetchKey(
  browser: CookieBrowser,
  { origin }: Pick<SignInRig, 'origin'>,
  from = origin,
): Promise<{ status: number; code: number; key: string | null }> {
  const { status, body } = await browser.ask(`${origin}/auth/oidc/key`, {
    method: 'POST',
    headers: { origin: from },
  });
  const { code, data } = JSON.parse(body);
  return { status, code, key: data.key ?? null };
}
