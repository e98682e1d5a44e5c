import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { BusError } from '../bus/bus.ts';
import type { Envelope } from '../contract/http/envelope.ts';
import { ApiError, invalidField, OUTAGE_MESSAGES } from '../contract/http/errors.ts';
import { logUnlessOutage } from '../store/outage-log.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { TimeoutError } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';

const RETRY_AFTER_S = '2';

/**
 * Maps the errors with which Fastify and its plugins reject a request. Any other error that they throw is an internal
 * error.
 */
function fromFastify(error: FastifyError): ApiError | null {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(
        'bodyTooLarge',
        'body is too large; the limit is 64 KiB',
        {},
        { connection: 'close' },
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidField('header.content-length', 'does not match the length of the body');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupportedMediaType', 'header.content-type must be application/json');
    case 'FST_ERR_BAD_URL':
      return invalidField('path', 'is not a valid URL path; check its percent-encoding');
    default:
      return fromStatus(error);
  }
}

/**
 * A status from 400 to 499 means that the request is at fault, such as a path outside the folder of static files
 * (403).
 */
function fromStatus({ statusCode = 500 }: FastifyError): ApiError | null {
  if (statusCode < 400 || statusCode > 499) return null;
  if (statusCode === 403 || statusCode === 404) {
    return new ApiError('routeNotFound', 'nothing is served at this path; see /docs');
  }
  return invalidField('request', `is not valid (${STATUS_CODES[statusCode] ?? statusCode})`);
}

/** The connection ended or broke before the whole body arrived. */
export const bodyCutShort = () =>
  invalidField(
    'body',
    'is incomplete: the connection ended before all of it arrived; send the request again',
  );

const unavailable = (message: string, requestId: string) =>
  new ApiError('unavailable', message, { request_id: requestId }, { 'retry-after': RETRY_AFTER_S });

/**
 * Converts a thrown value to an API error: an ApiError stays as it is, an outage becomes 50300, and anything else
 * 50000.
 */
export function toApiError(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreUnavailableError) return unavailable(OUTAGE_MESSAGES[error.reason], requestId);
  if (error instanceof BusError) {
    return unavailable('the service cannot reach one of its components; try again shortly', requestId);
  }
  if (error instanceof TimeoutError) return unavailable(`${error.message}; try again shortly`, requestId);
  const known = error instanceof Error ? fromFastify(error as FastifyError) : null;
  return (
    known ??
    new ApiError(
      'internal',
      'internal error of the service; report it to an operator with the request_id of this response',
      {
        request_id: requestId,
      },
    )
  );
}

export const toEnvelope = ({ code, message, data }: ApiError): Envelope<Record<string, unknown>> => ({
  code,
  message,
  data,
});

/** The envelope code of each response that is not 0. */
export const codesOf = new WeakMap<FastifyRequest, number>();

/**
 * Sends the error in an envelope. The cause of a 5xx appears only in the log. The store logs its outages itself, and an
 * ApiError without a client is not logged: a client that disconnects would add to the log of the service.
 */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): FastifyReply {
  const answer = request.raw.errored === error ? bodyCutShort() : toApiError(error, request.id);
  codesOf.set(request, answer.code);
  const isUnread = error instanceof ApiError && reply.raw.destroyed;
  if (answer.status >= 500 && !isUnread) {
    const fields = { requestId: request.id, method: request.method, route: request.routeOptions.url };
    logUnlessOutage(log, 'error', { ...fields, err: error }, answer.message);
  }
  return reply.code(answer.status).headers(answer.headers).type('application/json').send(toEnvelope(answer));
}
