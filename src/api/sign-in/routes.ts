import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { success } from '../../contract/http/envelope.ts';
import { ApiError } from '../../contract/http/errors.ts';
import { SIGN_IN_PATHS, type SignInWays } from '../../contract/http/sign-in.ts';
import { addressOf } from '../address.ts';
import type { ApiContext } from '../context.ts';
import { callback } from './callback.ts';
import { cookiesFor, type SignInContext } from './context.ts';
import { endSession } from './end-session.ts';
import { exchangeTicket } from './exchange-ticket.ts';
import { openSession } from './open-session.ts';
import { IdentityProvider } from './provider.ts';
import type { SignInSettings } from './settings.ts';
import { start } from './start.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Adds the routes for signing in to and out of the console. They are for browsers and outside the versioned API; they
 * are counted and rate-limited like its operations. If `settings` is null, there is no identity provider, and only
 * API keys can be used.
 */
export function addSignIn(
  app: FastifyInstance,
  api: Pick<
    ApiContext,
    'store' | 'bus' | 'log' | 'meter' | 'limits' | 'newAccounts' | 'authenticator' | 'trail'
  >,
  settings: SignInSettings | null,
): void {
  const add = (method: 'GET' | 'POST' | 'DELETE', url: string, operationId: string, handler: Handler) =>
    app.route({
      method,
      url,
      handler,
      exposeHeadRoute: false,
      config: { operationId },
    });
  /** Records a request without a valid key, session or ticket, as for the operations of the API. */
  const recorded = async <T>(action: string, request: FastifyRequest, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized')
        await api.trail.authenticationFailed({ action, address: addressOf(request) });
      throw error;
    }
  };
  const { ways, start: startPath, callback: callbackPath, exchange, session } = SIGN_IN_PATHS;
  add('GET', ways, 'sign-in.ways', async () => success(signInWays(settings)));
  add('POST', session, 'sign-in.open', async (request, reply) =>
    success(await recorded('sign-in', request, openSession(api, request, reply))),
  );
  add('DELETE', session, 'sign-in.end', async (request, reply) =>
    success(await recorded('sign-out', request, endSession(api, request, reply))),
  );
  if (!settings) return;
  const provider = new IdentityProvider(settings);
  const context: SignInContext = { ...api, settings, provider, cookies: cookiesFor(settings) };
  add('GET', startPath, 'sign-in.start', (request, reply) => start(context, request, reply));
  add('GET', callbackPath, 'sign-in.callback', (request, reply) => callback(context, request, reply));
  add('POST', exchange, 'sign-in.exchange', async (request, reply) =>
    success(await recorded('sign-in', request, exchangeTicket(context, request, reply))),
  );
}

/**
 * The start URL is absolute, because the provider redirects the browser to the public URL and the cookie must be set
 * there.
 */
const signInWays = (settings: SignInSettings | null): SignInWays => ({
  oidc: settings && { name: settings.name, start_url: `${settings.publicUrl}${SIGN_IN_PATHS.start}` },
});
