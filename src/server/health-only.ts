import type { IncomingMessage, ServerResponse } from 'node:http';
import { success } from '../contract/http/envelope.ts';
import { ApiError } from '../contract/http/errors.ts';
import type { Readiness } from './readiness.ts';
import { sendEnvelope, sendError } from './send-envelope.ts';

const NOT_SERVED =
  'this process only serves /livez, /readyz and /metrics; send API requests to an api process of the fleet';

/**
 * Returns a request handler for a process without the API. It serves `/livez` and `/readyz` like the API.
 * @param dependency a component without which the process cannot work; `check` throws while it is unavailable
 */
export function healthOnly(
  dependency: { name: string; check: () => Promise<void> },
  readiness: Pick<Readiness, 'problem'>,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split('?')[0];
    if (path === '/livez') return sendEnvelope(response, 200, success({}));
    if (path !== '/readyz') return sendError(response, new ApiError('routeNotFound', NOT_SERVED));
    const { problem } = readiness;
    if (problem !== null) return sendError(response, notReady(problem));
    try {
      await dependency.check();
      sendEnvelope(response, 200, success({}));
    } catch {
      sendError(response, notReady(`${dependency.name} is unavailable`));
    }
  };
}

const notReady = (problem: string) => new ApiError('unavailable', problem, {}, { 'retry-after': '2' });
