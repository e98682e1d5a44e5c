import { randomUUID } from 'node:crypto';
import { type IncomingMessage, maxHeaderSize } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { ApiError } from '../contract/http/errors.ts';
import type { Operation } from '../contract/http/operation.ts';
import { type OperationId, operations } from '../contract/http/operations.ts';
import { WEBDRIVER_PATH } from '../contract/http/webdriver.ts';
import type { ClientTrace } from '../util/steps.ts';
import { BASE_PATH } from './base-path.ts';
import { clientTrace } from './call.ts';
import type { ApiContext } from './context.ts';
import { allowOrigins } from './cors.ts';
import { codesOf, sendError } from './errors.ts';
import { addHealthRoutes } from './health.ts';
import { addOperations } from './operation-routes.ts';
import { parseBody } from './read-request.ts';

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
