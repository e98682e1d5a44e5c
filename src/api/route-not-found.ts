import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../contract/errors.ts';

const METHODS = ['GET', 'POST', 'DELETE'] as const;

/** A 40007 that says, for a path which exists, the methods that it takes. */
export function routeNotFound(app: FastifyInstance, request: FastifyRequest): ApiError {
  const path = request.url.split('?', 1)[0]!.slice(0, 200);
  const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
  const message =
    allowed.length > 0
      ? `${path} takes ${allowed.join(', ')}, not ${request.method}`
      : `${path} is no route of this API; see /docs`;
  return new ApiError('routeNotFound', message, {}, allowed.length > 0 ? { allow: allowed.join(', ') } : {});
}
