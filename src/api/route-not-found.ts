import { ApiError } from '../contract/http/errors.ts';
import type { Operation } from '../contract/http/operation.ts';

/** Creates the 40007 error of a request. If the path exists, the error states which methods it accepts. */
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
    return new ApiError('routeNotFound', `${path} accepts ${methods}, not ${method}`, {}, { allow: methods });
  };
}
