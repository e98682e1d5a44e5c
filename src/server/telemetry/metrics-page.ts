import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../contract/http/errors.ts';
import { sendError } from '../send-envelope.ts';
import type { Metrics } from './metrics.ts';

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface MetricsAccess {
  /** The bearer token that readers must send; null: only programs on this machine can read. */
  key: string | null;
  /** Called for a reader with a wrong key. @throws ApiError 40029 when its address has sent too many */
  onWrongKey?: (request: IncomingMessage) => void;
}

/**
 * Serves `/metrics` and passes all other requests on. If a key is configured, readers must send it. Otherwise only
 * programs on this machine can read: requests that a proxy forwarded are rejected, and so are those of a web page
 * whose host name was pointed at this machine (DNS rebinding).
 */
export function withMetrics(
  metrics: Metrics,
  { key, onWrongKey = () => {} }: MetricsAccess,
  next: RequestHandler,
): RequestHandler {
  return (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return next(request, response);
    try {
      authorise(request, { key, onWrongKey });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return sendError(response, error);
    }
    metrics.read().then(
      (text) => {
        response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
        response.end(text);
      },
      () => sendError(response, new ApiError('internal', 'metrics could not be collected; try again')),
    );
  };
}

/** @throws ApiError when the reader is not allowed to read the metrics */
function authorise(request: IncomingMessage, { key, onWrongKey }: Required<MetricsAccess>): void {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ApiError('methodNotAllowed', '/metrics only supports GET', {}, { allow: 'GET' });
  if (key === null) checkIsLocal(request);
  else if (!hasKey(request, key)) {
    onWrongKey(request);
    const problem = '/metrics requires the PHONEBOOTH_METRICS_KEY as a bearer token';
    throw new ApiError('unauthorized', problem, {}, { 'www-authenticate': 'Bearer' });
  }
}

/** @throws ApiError when the reader is on another machine, or may be */
function checkIsLocal({ socket, headers }: IncomingMessage): void {
  const isNear = /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '');
  const isForwarded = FORWARDING.some((name) => headers[name] !== undefined);
  if (isNear && !isForwarded && isLoopbackName(headers.host)) return;
  throw new ApiError(
    'forbidden',
    'without PHONEBOOTH_METRICS_KEY, /metrics is only available on this machine, under a name such as ' +
      'localhost; set the key and send it as a bearer token',
  );
}

/** Headers that proxies add to forwarded requests. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** Whether `Host` is a loopback name. A browser that was directed here under another name sends that name. */
function isLoopbackName(host: string | undefined): boolean {
  if (!host || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(token), hash(key));
}
