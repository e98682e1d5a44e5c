import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, ERRORS, type ErrorName } from '../contract/http/errors.ts';

/** Seconds until a client should try again, by status. */
const RETRY_AFTER: Partial<Record<number, string>> = { 429: '10', 503: '1' };

/** An HTTP response instead of the 101. For an ended session, its status differs from that of the API. */
export class UpgradeRejection extends ApiError {
  override readonly status: number;

  constructor(kind: ErrorName, message: string) {
    const status = kind === 'sessionEnded' ? 410 : ERRORS[kind].status;
    const retryAfter = RETRY_AFTER[status];
    super(kind, message, {}, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    this.status = status;
  }
}

export const SESSION_ENDED = 'the session has ended; borrow the phone again in a new session';

/** Answers an upgrade request with the API's envelope and closes its connection. */
export function sendRejection(socket: Duplex, { code, message, status, data, headers }: ApiError): void {
  const body = JSON.stringify({ code, message, data });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  if (status === 401) lines.push('WWW-Authenticate: Bearer');
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
