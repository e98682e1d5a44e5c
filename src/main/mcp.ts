import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf } from '../api/address.ts';
import { Authenticator } from '../api/authenticate.ts';
import { sendError } from '../api/errors.ts';
import { Phonebooth } from '../client/phonebooth.ts';
import { ApiError } from '../contract/errors.ts';
import { type Caller, HttpSessions, MAX_MESSAGE_BYTES } from '../mcp/http-sessions.ts';
import { requestOf } from '../mcp/node-request.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

export interface McpParts {
  config: Pick<Config, 'allowedOrigins' | 'mcpIdleMs'>;
  store: Store;
  log: Log;
  /** Where this process itself is reached, once it listens: what agents do goes the way that any client's does. */
  own: { http: string; sockets: string | undefined };
}

/**
 * Adds `/mcp`, where AI agents use phones. Every request is authenticated like any of the API, so a key that is revoked
 * goes no further in a session that is open either.
 */
export function addMcp(app: FastifyInstance, { config, store, log, own }: McpParts): HttpSessions {
  const authenticator = new Authenticator(store, log);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const serviceOf = (key: string) =>
    new Phonebooth({ url: own.http, key, ...(own.sockets !== undefined && { socketOrigin: own.sockets }) });
  const sessions = new HttpSessions({ serviceOf, version: VERSION, log, idleMs: config.mcpIdleMs });
  app.register(async (scope) => {
    // The body is the library's to read.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      schema: { hide: true },
      onRequest: async (request) => {
        checkOrigin(request.headers.origin, config.allowedOrigins);
        const { authorization = '' } = request.headers;
        const { keyId } = await authenticator.authenticate(authorization, addressOf(request));
        callers.set(request, { keyId, key: authorization.replace(/^Bearer +/i, '') });
      },
      handler: (request, reply) => answer(sessions, request, reply, callers.get(request)!),
    });
  });
  return sessions;
}

async function answer(
  sessions: HttpSessions,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<FastifyReply> {
  const message = await requestOf(request.raw, reply.raw);
  if (message === null)
    throw new ApiError(
      'bodyTooLarge',
      `body: is too large; the limit is ${MAX_MESSAGE_BYTES / 1024} KiB`,
      {},
      { connection: 'close' },
    );
  return reply.send(await sessions.answer(message, caller));
}

/**
 * Browsers say where a page is from. Only pages of the operator's choice may speak to agents' tools, or of this machine where
 * none was chosen: a page of elsewhere that had its name point here (DNS rebinding) keeps its own origin. Others than browsers
 * send none.
 */
function checkOrigin(origin: string | undefined, allowed: readonly string[] | null): void {
  if (origin === undefined) return;
  const isLocal =
    URL.canParse(origin) && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(origin).hostname);
  if (allowed ? allowed.includes(origin) : isLocal) return;
  throw new ApiError('forbidden', 'pages of this origin may not use /mcp; see PHONEBOOTH_ALLOWED_ORIGINS');
}
