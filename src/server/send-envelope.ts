import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { toEnvelope } from '../api/errors.ts';
import type { Envelope } from '../contract/http/envelope.ts';
import type { ApiError } from '../contract/http/errors.ts';
import { writeResponse } from './web-server.ts';

/** Sends a response in the format of the API, for a request that does not pass through Fastify. */
export function sendEnvelope(
  response: ServerResponse,
  status: number,
  envelope: Envelope<object>,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(envelope));
}

export const sendError = (response: ServerResponse, error: ApiError): void =>
  sendEnvelope(response, error.status, toEnvelope(error), error.headers);

/** Rejects a WebSocket upgrade with the status and the envelope of the error. */
export const rejectUpgrade = (socket: Duplex, error: ApiError): void =>
  writeResponse(socket, error.status, toEnvelope(error), error.headers);
