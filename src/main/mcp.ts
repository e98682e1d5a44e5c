import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf, onBehalfOf } from '../api/address.ts';
import { AuditTrail } from '../api/admin/audit/trail.ts';
import { Authenticator } from '../api/authenticate.ts';
import { sendError } from '../api/errors.ts';
import type { RequestLimits } from '../api/limits/request-limits.ts';
import { reserveSlot } from '../api/limits/reserve-slot.ts';
import { OpenResponses } from '../api/open-responses.ts';
import { Phonebooth } from '../client/phonebooth.ts';
import { ApiError, ERRORS, invalidField } from '../contract/errors.ts';
import { type Caller, HttpSessions, MAX_MESSAGE_BYTES } from '../mcp/http-sessions.ts';
import { requestOf } from '../mcp/node-request.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { Slots } from '../util/slots.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

export interface McpParts {
  config: Pick<Config, 'allowedOrigins' | 'mcpIdleMs'>;
  store: Store;
  log: Log;
  /** The same that the rest of the API has. */
  limits: RequestLimits;
  /**
   * Where this process itself is reached, and a control gateway, once it listens: what agents do goes the way that any
   * client's does.
   */
  own: { http: string; sockets: string };
}

/** Requests under way at once, streams of events among them: in all and of one account. */
const REQUESTS = { total: 2_000, perSubject: 400 };

/**
 * Adds `/mcp`, where AI agents use phones. Every request is authenticated like any of the API, and the responses that are
 * open, such as the stream of a GET, are cut within 5 s of the revocation of their key.
 */
export function addMcp(app: FastifyInstance, { config, store, log, limits, own }: McpParts): HttpSessions {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const serviceOf = ({ key, address }: Caller) =>
    new Phonebooth({ url: own.http, key, socketOrigin: own.sockets, fetch: fetchFor(address) });
  const sessions = new HttpSessions({ serviceOf, version: VERSION, log, idleMs: config.mcpIdleMs });
  const requests = new Slots(REQUESTS);
  const openResponses = new OpenResponses(store, log);
  app.addHook('onClose', async () => openResponses[Symbol.dispose]());
  const callerOf = door(app, { store, log, limits });
  app.register(async (scope) => {
    // The body is the library's to read.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      schema: { hide: true },
      onRequest: async (request, reply) => {
        checkOrigin(request.headers.origin, config.allowedOrigins);
        const caller = await callerOf(request, reply);
        const slot = reserveSlot(requests, caller.accountId, 'MCP requests');
        reply.raw.once('close', () => slot[Symbol.dispose]());
        openResponses.add(caller.keyId, reply.raw);
        callers.set(request, caller);
      },
      handler: (request, reply) => answer(sessions, request, reply, callers.get(request)!),
    });
  });
  return sessions;
}

/** What agents do is entered in the audit trail with their own address, not with that of this process. */
const fetchFor =
  (address: string): typeof fetch =>
  (url, init) =>
    fetch(url, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), ...onBehalfOf(address) },
    });

/** Whoever tries keys here is entered in the audit trail, as with the operations of the API. */
function door(
  app: FastifyInstance,
  { store, log, limits }: Pick<McpParts, 'store' | 'log' | 'limits'>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Caller> {
  const authenticator = new Authenticator(store, log, limits);
  const trail = new AuditTrail(store, log);
  app.addHook('onClose', () => trail[Symbol.asyncDispose]());
  return async (request, reply) => {
    const { authorization = '' } = request.headers;
    const address = addressOf(request);
    try {
      const { keyId, accountId } = await authenticator.authenticate(authorization, address);
      reply.headers(limits.admitKey(keyId, { lends: false }));
      return { keyId, accountId, key: authorization.replace(/^Bearer +/i, ''), address };
    } catch (error) {
      const { code } = ERRORS.unauthorized;
      if (error instanceof ApiError && error.code === code)
        await trail.authenticationFailed({ action: 'mcp', address });
      throw error;
    }
  };
}

async function answer(
  sessions: HttpSessions,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<FastifyReply> {
  const { host = 'localhost' } = request.headers;
  if (!URL.canParse(`http://${host}${request.url}`)) throw invalidField('header.host', 'must be a host name');
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
