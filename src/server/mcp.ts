import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressOf, forwardedFor } from '../api/address.ts';
import type { Authenticator } from '../api/authenticate.ts';
import { sendError } from '../api/errors.ts';
import type { RequestLimits } from '../api/limits/request-limits.ts';
import { reserveSlot } from '../api/limits/reserve-slot.ts';
import { OpenResponses } from '../api/open-responses.ts';
import { Phonebooth } from '../client/phonebooth.ts';
import { ApiError, ERRORS, invalidField } from '../contract/http/errors.ts';
import type { AuditTrail } from '../control-plane/audit/trail.ts';
import type { Caller } from '../mcp/agent-session.ts';
import type { HttpSessionsOptions, McpCounters } from '../mcp/http-sessions.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { isLoopback } from '../util/loopback.ts';
import { Slots } from '../util/slots.ts';
import type { Config } from './config.ts';
import { VERSION } from './version.ts';

export interface OwnAddresses {
  http: string;
  sockets: string;
}

export interface McpParts {
  config: Pick<Config, 'allowedOrigins' | 'mcpIdleMs'>;
  store: Store;
  log: Log;
  /** Shared with the rest of the API. */
  limits: RequestLimits;
  authenticator: Authenticator;
  trail: AuditTrail;
  /**
   * Returns where this process reaches its own HTTP API and a control gateway. Requests of agents take the same path as
   * those of other clients. Not to be called before the process listens: its ports may be any that are free.
   */
  own: () => OwnAddresses;
}

/** The MCP sessions of the agents that are connected to this process. */
export interface McpSessions extends AsyncDisposable {
  readonly counters: McpCounters;
}

/** Limits on concurrent requests, including event streams, in total and per account. */
const REQUESTS = { total: 2_000, perSubject: 400 };

/**
 * Adds `/mcp`, where AI agents use phones. Every request is authenticated like any other request of the API. Open
 * responses, such as the stream of a GET, are closed within 5 s after their key was revoked.
 */
export function addMcp(
  app: FastifyInstance,
  { config, store, log, limits, authenticator, trail, own }: McpParts,
): McpSessions {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const serviceOf = ({ key, address }: Caller) => {
    const { http, sockets } = own();
    return new Phonebooth({ url: http, key, socketOrigin: sockets, fetch: fetchFor(address) });
  };
  const sessions = sessionsOnDemand({ serviceOf, version: VERSION, log, idleMs: config.mcpIdleMs });
  const requests = new Slots(REQUESTS);
  const openResponses = new OpenResponses(store, log);
  app.addHook('onClose', async () => openResponses[Symbol.dispose]());
  const callerOf = authenticateCaller({ authenticator, trail, limits });
  app.register(async (scope) => {
    // The MCP library reads the body itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      onRequest: async (request, reply) => {
        checkOrigin(request.headers.origin, config.allowedOrigins);
        const caller = await callerOf(request, reply);
        const slot = reserveSlot(requests, caller.accountId, 'MCP requests');
        // The client may have disconnected while its key was looked up.
        if (reply.raw.destroyed) slot[Symbol.dispose]();
        else reply.raw.once('close', () => slot[Symbol.dispose]());
        openResponses.add(caller.keyId, reply.raw);
        callers.set(request, caller);
      },
      handler: (request, reply) => answer(sessions, request, reply, callers.get(request)!),
    });
  });
  return sessions;
}

/** Requests of agents are recorded in the audit trail with the agent's address instead of that of this process. */
const fetchFor =
  (address: string): typeof fetch =>
  (url, init) =>
    fetch(url, {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), ...forwardedFor(address) },
    });

/** Failed authentication is recorded in the audit trail, as for the operations of the API. */
function authenticateCaller({
  authenticator,
  trail,
  limits,
}: Pick<McpParts, 'authenticator' | 'trail' | 'limits'>): (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Caller> {
  return async (request, reply) => {
    const { authorization = '' } = request.headers;
    const address = addressOf(request);
    try {
      const { keyId, accountId, limitKeyId } = await authenticator.authenticate(authorization, address);
      reply.headers(limits.admitKey(limitKeyId, { connects: false }));
      return { keyId, accountId, key: authorization.replace(/^Bearer +/i, ''), address };
    } catch (error) {
      const { code } = ERRORS.unauthorized;
      if (error instanceof ApiError && error.code === code)
        await trail.authenticationFailed({ action: 'mcp', address });
      throw error;
    }
  };
}

interface SessionsOnDemand extends McpSessions {
  load(): ReturnType<typeof loadSessions>;
}

/** Loads the MCP library with the first request, because it takes a tenth of the processor time of a start. */
function sessionsOnDemand(options: HttpSessionsOptions): SessionsOnDemand {
  let loading: ReturnType<typeof loadSessions> | undefined;
  let counters = (): McpCounters => ({ sessions: 0, phones: 0, refused: 0 });
  return {
    get counters() {
      return counters();
    },
    load: () => {
      loading ??= loadSessions(options).then((loaded) => {
        counters = () => loaded.sessions.counters;
        return loaded;
      });
      return loading;
    },
    [Symbol.asyncDispose]: async () => {
      await (await loading)?.sessions[Symbol.asyncDispose]();
    },
  };
}

async function loadSessions(options: HttpSessionsOptions) {
  const { HttpSessions, MAX_MESSAGE_BYTES, requestOf } = await import('../mcp/http-sessions.ts');
  return { sessions: new HttpSessions(options), requestOf, MAX_MESSAGE_BYTES };
}

async function answer(
  onDemand: SessionsOnDemand,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
): Promise<FastifyReply> {
  const { host = 'localhost' } = request.headers;
  if (!URL.canParse(`http://${host}${request.url}`)) throw invalidField('header.host', 'must be a host name');
  const { sessions, requestOf, MAX_MESSAGE_BYTES } = await onDemand.load();
  const message = await requestOf(request.raw, reply.raw);
  if (message === null)
    throw new ApiError(
      'bodyTooLarge',
      `body is too large; the limit is ${MAX_MESSAGE_BYTES / 1024} KiB`,
      {},
      { connection: 'close' },
    );
  return reply.send(await sessions.answer(message, caller));
}

/**
 * Browsers send the origin of the page. Only pages of the configured origins may access the MCP endpoint, or local
 * pages if none are configured. A page whose host name was pointed at this machine (DNS rebinding) still has its own
 * origin. Other clients send no `Origin` header.
 */
function checkOrigin(origin: string | undefined, allowed: readonly string[] | null): void {
  if (origin === undefined) return;
  const isLocal = URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  if (allowed ? allowed.includes(origin) : isLocal) return;
  throw new ApiError(
    'forbidden',
    'this Origin is not allowed to use /mcp; an operator can add it to PHONEBOOTH_ALLOWED_ORIGINS',
  );
}
