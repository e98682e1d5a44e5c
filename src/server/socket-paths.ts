import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseSocketPath } from '../access/socket-address.ts';
import { ApiError } from '../contract/http/errors.ts';
import { sendError } from './send-envelope.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

const MESSAGE =
  'this path is a WebSocket, and the request has no Upgrade header: a proxy in front of the service may have removed ' +
  'it; see deploy/proxy for the configuration of nginx, HAProxy and Caddy';

/** Answers requests for socket addresses without `Upgrade` with 426, and passes all other requests on. */
export function withSocketPaths(next: RequestHandler): RequestHandler {
  return (request, response) => {
    if (parseSocketPath(request.url?.split('?', 1)[0] ?? '') === null) return next(request, response);
    const headers = { upgrade: 'websocket', connection: 'upgrade' };
    sendError(response, new ApiError('upgradeRequired', MESSAGE, {}, headers));
  };
}
