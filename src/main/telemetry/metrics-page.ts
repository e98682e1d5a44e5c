import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, type ErrorName } from '../../contract/errors.ts';
import type { Metrics } from './metrics.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves `/metrics`, and passes everything else on. With a key whoever has it may read; without one this machine may,
 * and nothing that a proxy brings.
 */
export function withMetrics(metrics: Metrics, key: string | null, next: RequestHandler): RequestHandler {
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return next(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 'routeNotFound', '/metrics is read with GET');
    const refusal = key === null ? refuseFarReader(request) : refuseWrongKey(request, key);
    if (refusal) return refuse(response, ...refusal);
    metrics.read().then(
      (text) => {
        response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
        response.end(text);
      },
      () => refuse(response, 'internal', 'the figures could not be read'),
    );
  };
}

function refuseFarReader({ socket, headers }: IncomingMessage): [ErrorName, string] | null {
  const isNear = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  if (isNear && !isForwarded) return null;
  return [
    'forbidden',
    '/metrics is read on this machine only; set PHONEBOOTH_METRICS_KEY and send it as a bearer token to read it from elsewhere',
  ];
}

function refuseWrongKey({ headers }: IncomingMessage, key: string): [ErrorName, string] | null {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest();
  if (timingSafeEqual(hash(token), hash(key))) return null;
  return ['unauthorized', '/metrics needs PHONEBOOTH_METRICS_KEY as a bearer token'];
}

function refuse(response: ServerResponse, name: ErrorName, message: string): void {
  const { status, code } = ERRORS[name];
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(JSON.stringify({ code, message, data: {} }));
}
