import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, ERRORS, type ErrorName } from '../contract/http/errors.ts';

/** An HTTP response instead of the 101. `status` is set where the socket's status differs from the API's. */
export class UpgradeRejection extends Error {
  readonly kind: ErrorName;
  readonly status: number;
  constructor(kind: ErrorName, message: string, status: number = ERRORS[kind].status) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

export const SESSION_ENDED = 'the session has ended; borrow the phone again in a new session';

/** Answers an upgrade request with the API's envelope and closes its connection. */
export function sendRejection(socket: Duplex, rejection: UpgradeRejection | ApiError): void {
  const { data, headers } = rejection instanceof ApiError ? rejection : { data: {}, headers: {} };
  const body = JSON.stringify({ code: ERRORS[rejection.kind].code, message: rejection.message, data });
  const lines = [
    `HTTP/1.1 ${rejection.status} ${STATUS_CODES[rejection.status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (rejection.status === 401) lines.push('WWW-Authenticate: Bearer');
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (rejection instanceof UpgradeRejection && rejection.status === 429) lines.push('Retry-After: 10');
  if (rejection instanceof UpgradeRejection && rejection.status === 503) lines.push('Retry-After: 1');
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
