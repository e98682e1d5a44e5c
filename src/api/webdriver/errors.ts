import type { FastifyRequest } from 'fastify';
import { ERRORS } from '../../contract/http/errors.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { Log } from '../../util/log.ts';
import { WebDriverError, type WebDriverErrorName } from '../../webdriver/protocol/errors.ts';
import { codesOf, toApiError } from '../errors.ts';
import { AppiumFailure } from './appium-relay.ts';

/** Room for the longest text to type, or for the content of a clipboard in base64. */
export const BODY_LIMIT = 512 * 1024;

/** The WebDriver error of an error of the API, by its code. The HTTP status of the API error is kept. */
const NAMES: Readonly<Record<number, WebDriverErrorName>> = {
  [ERRORS.invalid.code]: 'invalid argument',
  [ERRORS.bodyTooLarge.code]: 'invalid argument',
  [ERRORS.sessionNotFound.code]: 'invalid session id',
  [ERRORS.sessionEnded.code]: 'invalid session id',
  [ERRORS.sessionNotConnected.code]: 'invalid session id',
};

/** @param isNew whether the request is one for a new session */
function toWebDriverError(error: unknown, requestId: string, isNew: boolean): WebDriverError {
  if (error instanceof AppiumFailure) return error;
  if (error instanceof WebDriverError)
    return isNew && error.error === 'unknown error'
      ? new WebDriverError('session not created', error.message)
      : error;
  const answer = toApiError(error, requestId);
  const { code, status, headers } = answer;
  const name = NAMES[code] ?? (isNew ? 'session not created' : 'unknown error');
  const isTooLarge = code === ERRORS.bodyTooLarge.code;
  const message = isTooLarge ? `body is too large; the limit is ${BODY_LIMIT / 1024} KiB` : answer.message;
  return new WebDriverError(name, message, { status, headers });
}

/** The W3C error that the client of a command receives. */
export function webDriverErrorName(error: unknown, request: FastifyRequest): string {
  const answer = toWebDriverError(error, request.id, false);
  return answer instanceof AppiumFailure ? answer.reported : answer.error;
}

/** The answer in the JSON form of W3C WebDriver (section 6.6). There is never a stack trace. */
export function webDriverErrorAnswer(
  error: unknown,
  request: FastifyRequest,
  { log, isNew }: { log: Log; isNew: boolean },
): { status: number; headers: Record<string, string>; body: string } {
  const answer = toWebDriverError(error, request.id, isNew);
  codesOf.set(request, errorCodeOf(error));
  if (!(error instanceof WebDriverError || error instanceof ClientGoneError) && answer.status >= 500)
    logUnlessOutage(log, 'error', { requestId: request.id, err: error }, 'WebDriver command failed');
  const name = answer instanceof AppiumFailure ? answer.reported : answer.error;
  const value = { error: name, message: answer.message, stacktrace: '' };
  return { status: answer.status, headers: answer.headers, body: JSON.stringify({ value }) };
}

/** The code for metrics and the audit trail. A phone that rejects a command is not an error of the service. */
export function errorCodeOf(error: unknown): number {
  if (error instanceof ClientGoneError) return ERRORS.unavailable.code;
  if (!(error instanceof WebDriverError)) return toApiError(error, '').code;
  return error.status === 404 ? ERRORS.resourceNotFound.code : ERRORS.invalid.code;
}

/** The client closed its connection before its command was answered. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client has disconnected');
    this.name = 'ClientGoneError';
  }
}
