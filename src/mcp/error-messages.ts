import { ControlError } from '../client/control-socket.ts';
import { isServiceError, ServiceError, type ServiceErrorData } from '../client/service-error.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';
import { ERRORS, type FieldError } from '../contract/http/errors.ts';
import { RPC_ERRORS } from '../contract/sockets/rpc-errors.ts';

/**
 * A mistake of the model, or something that it is not allowed to have. The message consists of full sentences and
 * ends with the next step.
 */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolError';
  }
}

/** The next step by error code of the HTTP API. It is appended to the service's own message. */
const NEXT_STEP: Partial<Record<number, string>> = {
  0: 'The service may be restarting, or its address may be wrong. Try again in a few seconds.',
  [ERRORS.unauthorized.code]: 'Tell the user; no tool works without a valid API key.',
  [ERRORS.forbidden.code]: 'Tell the user that this needs an API key with another role.',
  [ERRORS.deviceNotFound.code]: 'Call list_phones to see the phones, or request fewer properties at once.',
  [ERRORS.sessionNotFound.code]: 'Call my_phones to see which phones you have.',
  [ERRORS.appNotFound.code]: 'Call list_apps to see which apps are uploaded.',
  [ERRORS.quotaExceeded.code]:
    'Request fewer minutes, end sessions that are no longer needed with give_back, or tell the user that ' +
    'the quota of the account is used up.',
  [ERRORS.sessionEnded.code]: 'Borrow another phone with borrow_phone.',
  [ERRORS.rateLimited.code]: 'Wait a few seconds before you try again.',
  [ERRORS.unavailable.code]: 'Try again in a few seconds.',
};

/** Replaces the service's message where that message is about HTTP. */
const ANSWERS: Partial<Record<number, string>> = {
  [ERRORS.sessionNotConnected.code]: 'The phone is still starting. Try again in a few seconds.',
  [ERRORS.internal.code]: 'The service failed. Try once more; if it fails again, tell the user.',
};

const UNAVAILABLE: Record<ServiceErrorData['deviceUnavailable']['reason'], string> = {
  in_use: 'is in use',
  cleaning: 'is being cleaned after its last session',
  offline: 'is offline',
  maintenance: 'is in maintenance',
  reserved: 'is reserved',
};

/** Fields of the HTTP API for which the tool argument has a different name. */
const ARGUMENTS: Record<string, string> = { duration: 'minutes', wait: 'wait_seconds', device_id: 'id' };

/**
 * Formats an error for a model: what failed, and the next step. Null for an error that the model can do nothing
 * about.
 */
export function errorMessage(error: unknown): string | null {
  if (error instanceof ToolError) return error.message;
  if (error instanceof ServiceError) return serviceMessage(error);
  if (error instanceof SessionEndedError) return `${endMessage(error)} Borrow another with borrow_phone.`;
  if (error instanceof ControlError) return controlMessage(error);
  return null;
}

function serviceMessage(error: ServiceError): string {
  if (isServiceError(error, 'invalid') && error.data.errors?.length > 0)
    return error.data.errors.map(argumentMessage).join(' ');
  if (isServiceError(error, 'deviceUnavailable')) return unavailableMessage(error.data);
  return ANSWERS[error.code] ?? withNext(error.message, NEXT_STEP[error.code] ?? '');
}

/** Replaces the field path of the API by the tool argument: `body.duration` becomes `minutes`. */
function argumentMessage({ field, message }: FieldError): string {
  const name = field.split('.').at(-1)!;
  const isPredicate = /^(must|is|has|does)\b/.test(message);
  return withNext(`\`${ARGUMENTS[name] ?? name}\`${isPredicate ? '' : ':'} ${message}`, '');
}

/** `matching` is present when the request was for any phone, and absent when it was for a specific one. */
function unavailableMessage(data: { reason: keyof typeof UNAVAILABLE; matching?: unknown }): string {
  const why = UNAVAILABLE[data.reason] ?? 'is not available';
  const next = 'Call list_phones with status "available" to see others';
  if (typeof data.matching !== 'number') return `The phone ${why}. ${next}, or borrow any with borrow_phone.`;
  const others =
    data.matching === 1 ? 'The only phone that matches' : `Each of the ${data.matching} phones that match`;
  return `${others} ${why}. ${next}, or call borrow_phone with more wait_seconds.`;
}

function controlMessage({ code, message }: ControlError): string {
  switch (code) {
    case RPC_ERRORS.notConnected:
      return (
        'Another client has control of this phone, such as a person in the console, or the phone is not ' +
        'ready. Try again in a few seconds. If that fails, call use_phone to take control back, if the user ' +
        'agrees.'
      );
    case RPC_ERRORS.unsupported:
      return withNext(message, 'Find another way, or use another phone.');
    case RPC_ERRORS.failedOnPhone:
      return withNext(
        `The command failed on the phone: ${message}`,
        'Call look to see the state of the phone.',
      );
    case RPC_ERRORS.tooFast:
      return withNext(message, 'Wait a second before the next command.');
    default:
      return withNext(message, 'Call look to see whether the command took effect before you try again.');
  }
}

const ENDS: Record<string, string> = {
  client: 'another client of this account ended the session',
  expired: 'its minutes were over; request more minutes next time, or call extend in time',
  idle: 'it was idle for too long',
  start_failed: 'it could not be started',
  start_timeout: 'it did not start in time',
  device_lost: 'it was disconnected from its host, for example unplugged',
  host_lost: 'its host stopped responding',
  admin: 'an operator ended the session',
};

/** Explains in a full sentence why the session on a phone has ended. */
export function endMessage({ reason, detail }: Pick<SessionEndedError, 'reason' | 'detail'>): string {
  return `The phone is no longer available: ${ENDS[reason] ?? 'its session ended'}${detail === null ? '' : ` (${detail})`}.`;
}

function withNext(message: string, next: string): string {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return `${sentence}${/[.!?]$/.test(sentence) ? '' : '.'} ${next}`.trim();
}
