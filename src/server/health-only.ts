import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, type ErrorName } from '../contract/http/errors.ts';
import type { Readiness } from './readiness.ts';

const NOT_SERVED =
  'this process only serves /livez, /readyz and /metrics; send API requests to an api process of the fleet';

/**
 * Returns a request handler for a process without the API. It serves `/livez` and `/readyz` like the API.
 * @param needs a dependency without which the process cannot work; `isThere` throws while it is unavailable
 */
export function healthOnly(
  needs: { what: string; isThere: () => Promise<void> },
  readiness: Pick<Readiness, 'problem'>,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') return send(response, 200, 0, 'success');
    if (path !== '/readyz') return fail(response, 'routeNotFound', NOT_SERVED);
    const { problem } = readiness;
    if (problem !== null) {
      response.setHeader('retry-after', '2');
      return fail(response, 'unavailable', problem);
    }
    try {
      await needs.isThere();
      send(response, 200, 0, 'success');
    } catch {
      response.setHeader('retry-after', '2');
      fail(response, 'unavailable', `${needs.what} is unavailable`);
    }
  };
}

function fail(response: ServerResponse, name: ErrorName, message: string): void {
  send(response, ERRORS[name].status, ERRORS[name].code, message);
}

function send(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ code, message, data: {} }));
}
