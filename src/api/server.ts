import { randomUUID } from 'node:crypto';
import { type IncomingMessage, maxHeaderSize } from 'node:http';
import swagger from '@fastify/swagger';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { success } from '../contract/http/envelope.ts';
import { ApiError } from '../contract/http/errors.ts';
import type { Operation } from '../contract/http/operation.ts';
import { type OperationId, operations } from '../contract/http/operations.ts';
import { WEBDRIVER_PATH } from '../contract/http/webdriver.ts';
import { EVENT_STREAM, ServerSentEvents } from '../control-plane/events/server-sent-events.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { ClientTrace } from '../util/steps.ts';
import { addressOf } from './address.ts';
import { auditHooks, decorateRequests } from './audit-hook.ts';
import { BASE_PATH } from './base-path.ts';
import { Call, clientTrace } from './call.ts';
import { allowOrigins } from './cors.ts';
import { codesOf, sendError } from './errors.ts';
import { addHealthRoutes } from './health.ts';
import {
  type ApiContext,
  EncodedJson,
  FileResponse,
  ImageResponse,
  type Implementation,
  Lines,
} from './implement.ts';
import { IMPLEMENTATIONS } from './implementations.ts';
import { JSON_LINES, linesOf } from './json-lines.ts';
import { OpenResponses } from './open-responses.ts';
import { openApiDocument } from './openapi.ts';
import { takeFiles } from './read-file.ts';
import { parseBody, type RequestParts, readIdempotencyKey, requestReader } from './read-request.ts';
import { sendFile } from './send-file.ts';
import { authorizationOf } from './sign-in/session-cookie.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the operation in metrics and logs. */
    operationId?: string;
  }
}

/** Maximum size of a JSON body. Uploads have separate routes. */
const BODY_LIMIT = 64 * 1024;

/** Node rejects requests whose path and headers together are longer, so no path exceeds this. */
const MAX_PATH_LENGTH = maxHeaderSize;

/** A stream has its own connection. `x-accel-buffering` prevents nginx and other proxies from buffering it. */
const STREAM_HEADERS = { 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no', connection: 'close' };

const FILE = 'application/octet-stream';

/** A request whose body takes longer than this to arrive has its key checked again. */
const REAUTHENTICATE_MS = 1_000;

/** The operations that borrow a phone, and count against the `connect` limit. */
const CONNECTS: ReadonlySet<OperationId> = new Set(['devices.connect', 'sessions.borrow']);

export interface ApiOptions {
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, or networks such as 10.0.0.0/8. */
  trustedProxies?: string[];
  /** Why this process does not accept traffic, for `/readyz`; null if it does. */
  readinessProblem?: () => string | null;
  /** Origins whose pages may use the API in a browser. */
  allowedOrigins?: string[];
  /** Host name at whose root WebDriver clients are served; null: none. */
  webDriverHost?: string | null;
  /** Called when a response has been sent. */
  onAnswer?: (request: AnsweredRequest) => void;
}

/** A request to an operation whose response has been sent. */
export interface AnsweredRequest {
  operation: string;
  /** The code in the envelope. */
  code: number;
  seconds: number;
  method: string;
  /** The path with the names of its parameters in place of their values. */
  route: string;
  /** The HTTP status. */
  status: number;
  client: ClientTrace;
}

/** Builds the HTTP API without listening. The owner of the HTTP servers passes it their requests. */
export async function buildApi(
  context: ApiContext,
  {
    trustedProxies = [],
    readinessProblem = () => null,
    allowedOrigins = [],
    webDriverHost = null,
    onAnswer,
  }: ApiOptions = {},
): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    genReqId: () => randomUUID(),
    ...(webDriverHost !== null && { rewriteUrl: atWebDriverHost(webDriverHost) }),
    // An overlong identifier is answered as an identifier that does not exist, not as an unknown route.
    routerOptions: { maxParamLength: MAX_PATH_LENGTH },
    frameworkErrors: (error, request, reply) =>
      void sendError(error, request, reply as FastifyReply, context.log),
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, context.log));
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    // The body is ignored when the route does not exist.
    if (request.is404) return done(null, undefined);
    try {
      done(null, parseBody(body as Buffer, request.headers['content-type']));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    done();
  });
  if (allowedOrigins.length > 0) allowOrigins(app, { basePath: BASE_PATH, origins: allowedOrigins });
  app.addHook('onResponse', (request, reply, done) => {
    recordAnswer(context, request, reply, onAnswer);
    done();
  });
  const table: Record<OperationId, Operation> = operations(context);
  const document = openApiDocument(BASE_PATH, table);
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  addHealthRoutes(app, { store: context.store, readinessProblem });
  await app.register(async (api) => addOperations(api, context, table), { prefix: BASE_PATH });
  const notFound = routeNotFound(BASE_PATH, Object.values(table));
  app.setNotFoundHandler((request, reply) => sendError(notFound(request), request, reply, context.log));
  return app;
}

/** The URL of a request, below the path of the endpoint if it was sent to the host name of the endpoint. */
const atWebDriverHost =
  (name: string) =>
  ({ url = '/', headers: { host = '' } }: Pick<IncomingMessage, 'url' | 'headers'>): string => {
    const isThere = host.replace(/:\d+$/, '').toLowerCase() === name;
    return isThere && !url.startsWith(`${WEBDRIVER_PATH}/`) ? `${WEBDRIVER_PATH}${url}` : url;
  };

/** Counts and logs every response of an operation. The log contains the operation id, never the URL. */
function recordAnswer(
  { log, meter }: Pick<ApiContext, 'log' | 'meter'>,
  request: FastifyRequest,
  reply: FastifyReply,
  onAnswer: ApiOptions['onAnswer'],
): void {
  const { operationId: operation } = request.routeOptions.config;
  if (operation === undefined) return;
  const code = codesOf.get(request) ?? 0;
  const ms = reply.elapsedTime;
  meter.answered({ operation, code, seconds: ms / 1000 });
  log.info({ requestId: request.id, operation, code, ms: Math.round(ms) }, 'request answered');
  const { method, routeOptions, headers } = request;
  const { url: route = '' } = routeOptions;
  const client = clientTrace(headers);
  onAnswer?.({ operation, code, seconds: ms / 1000, method, route, status: reply.statusCode, client });
}

async function addOperations(
  api: FastifyInstance,
  context: ApiContext,
  table: Record<OperationId, Operation>,
): Promise<void> {
  const { authenticator } = context;
  const auditHook = auditHooks(context.trail);
  const openResponses = new OpenResponses(context.store, context.log);
  api.addHook('onClose', async () => openResponses[Symbol.dispose]());
  decorateRequests(api);
  const add = (scope: FastifyInstance, implementation: Implementation) => {
    const operation = table[implementation.id];
    const read = requestReader(operation);
    scope.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operationId: implementation.id },
      onRequest: async (request, reply) => {
        const principal = await authenticator.authenticate(authorizationOf(request), addressOf(request));
        // Checked before the principal is set: requests that exceed the rate limit are not recorded in the audit
        // trail.
        reply.headers(
          context.limits.admitKey(principal.limitKeyId, { connects: CONNECTS.has(implementation.id) }),
        );
        request.principal = principal;
        authorise(principal, operation);
        request.authenticatedAt = performance.now();
      },
      preHandler: (request, _reply, done) => {
        if (performance.now() - request.authenticatedAt <= REAUTHENTICATE_MS) return done();
        // The key may have been revoked while the client sent its body slowly.
        authenticator.authenticate(authorizationOf(request), addressOf(request)).then(() => done(), done);
      },
      onSend: auditHook(implementation.id, operation),
      handler: (request, reply) => {
        if (operation.upload || operation.asLines || operation.answer === FILE)
          openResponses.add(request.principal!.keyId, reply.raw);
        return answer(context, implementation, operation, read, request, reply);
      },
    });
  };
  const [uploads, others] = partition(IMPLEMENTATIONS, ({ id }) => table[id].upload !== undefined);
  for (const implementation of others) add(api, implementation);
  await api.register(async (scope) => {
    await takeFiles(scope);
    for (const implementation of uploads) add(scope, implementation);
  });
}

function partition<T>(items: T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** @throws ApiError 40003 when the key's role does not allow the operation. */
function authorise({ role }: Principal, { access }: Operation): void {
  if (access === 'borrow' && role === 'viewer') {
    throw new ApiError(
      'forbidden',
      'the role of this key is read-only; use a key with the role user or admin',
    );
  }
  if (access === 'admin' && role !== 'admin') {
    throw new ApiError('forbidden', 'this operation is for operators; use a key with the role admin');
  }
}

async function answer(
  context: ApiContext,
  implementation: Implementation,
  operation: Operation,
  read: (parts: RequestParts) => RequestParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { params, query } = request;
  const input = read({ params, query, body: operation.upload ? undefined : request.body });
  const idempotencyKey = operation.idempotencyKey
    ? readIdempotencyKey(request.headers['idempotency-key'])
    : null;
  const call = new Call(input, { id: implementation.id, idempotencyKey, request, response: reply.raw });
  const data = await implementation.handle(context, call);
  request.result = data;
  if (data instanceof ImageResponse) return reply.type(data.type).send(data.bytes);
  if (data instanceof FileResponse) return sendFile(reply, data);
  if (data instanceof ServerSentEvents) return reply.headers(STREAM_HEADERS).send(data);
  if (data instanceof Lines) return reply.type(JSON_LINES).send(linesOf(data));
  return reply.type('application/json').send(data instanceof EncodedJson ? data.body : success(data));
}

/** Creates the error of a request without a route: 40015 with the accepted methods if the path exists, else 40007. */
export function routeNotFound(
  basePath: string,
  operations: Operation[],
): (request: { method: string; url: string }) => ApiError {
  const routes = operations.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return ({ method, url }) => {
    const path = url.split('?', 1)[0]!.slice(0, 200);
    const allowed = [
      ...new Set(routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)),
    ];
    if (allowed.length === 0)
      return new ApiError('routeNotFound', `${path} is not a route of this API; see /docs`);
    const methods = allowed.join(', ');
    return new ApiError(
      'methodNotAllowed',
      `${path} accepts ${methods}, not ${method}`,
      {},
      { allow: methods },
    );
  };
}
