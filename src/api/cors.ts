import type { FastifyInstance } from 'fastify';

/** Longest time for which browsers use the answer to a preflight request, in seconds: that of Chromium. */
const MAX_AGE_S = 7_200;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-Range, Last-Event-ID, Range';
const RESPONSE_HEADERS =
  'Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Range, Date, ETag, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';

/**
 * Lets pages of these origins use the API (Cross-Origin Resource Sharing). Requests carry the key in a header and never
 * cookies, so credentials are not allowed. Origins that are not listed get no headers, and the browser rejects them.
 */
export function allowOrigins(
  app: FastifyInstance,
  { basePath, origins }: { basePath: string; origins: string[] },
) {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith(`${basePath}/`)) return;
    reply.header('vary', 'origin');
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', RESPONSE_HEADERS);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight) return;
    reply
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', REQUEST_HEADERS)
      .header('access-control-max-age', String(MAX_AGE_S));
    return reply.code(204).send();
  });
}
