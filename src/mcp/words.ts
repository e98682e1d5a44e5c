import { ControlError } from '../client/control-socket.ts';
import { ServiceError } from '../client/service-error.ts';
import { SessionEndedError } from '../client/session-ended-error.ts';
import { ERRORS } from '../contract/errors.ts';
import { RPC_ERRORS } from '../contract/rpc-errors.ts';

/** Something a model did wrong, or cannot have, in sentences that end with what to do next. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolError';
  }
}

const NEXT_STEP: Partial<Record<number, string>> = {
  0: 'The service may be restarting, or its address may be wrong; try again in a few seconds.',
  [ERRORS.unauthorized.code]:
    'Tell the user that the API key is not accepted; no tool works without a valid one.',
  [ERRORS.forbidden.code]: 'Tell the user that this needs a key with another role.',
  [ERRORS.deviceNotFound.code]: 'Call list_phones to see which there are, or ask for fewer things at once.',
  [ERRORS.sessionNotFound.code]: 'Call my_phones to see which phones you have.',
  [ERRORS.appNotFound.code]: 'Call list_apps to see which apps are uploaded.',
  [ERRORS.deviceUnavailable.code]:
    'Call list_phones with status "available", or borrow_phone with wait_seconds to queue for one.',
  [ERRORS.quotaExceeded.code]:
    'Ask for fewer minutes, give back phones that are no longer needed, or tell the user that the account’s quota is used up.',
  [ERRORS.sessionEnded.code]: 'Borrow another phone with borrow_phone.',
  [ERRORS.sessionNotConnected.code]: 'The phone is still starting; try again in a few seconds.',
  [ERRORS.rateLimited.code]: 'Wait a few seconds before you try again.',
  [ERRORS.internal.code]: 'Try once more; if it happens again, tell the user.',
  [ERRORS.unavailable.code]: 'Try again in a few seconds.',
};

/** What went wrong, for a model: what it was, and what to do next. Null for what is a fault of ours. */
export function inWords(error: unknown): string | null {
  if (error instanceof ToolError) return error.message;
  if (error instanceof ServiceError) return withNext(error.message, NEXT_STEP[error.code] ?? '');
  if (error instanceof SessionEndedError) return `${endInWords(error)} Borrow another with borrow_phone.`;
  if (error instanceof ControlError) return controlInWords(error);
  return null;
}

function controlInWords({ code, message }: ControlError): string {
  switch (code) {
    case RPC_ERRORS.notConnected:
      return 'Another client controls this phone now, such as a person in the console. Call use_phone to take it back, if that is all right with them.';
    case RPC_ERRORS.unsupported:
      return withNext(message, 'This phone cannot do that; find another way, or another phone.');
    case RPC_ERRORS.failedOnPhone:
      return withNext(`The phone could not do it: ${message}`, 'Call look to see what state it is in.');
    case RPC_ERRORS.tooFast:
      return withNext(message, 'Wait a second before the next command.');
    default:
      return withNext(message, 'Call look to see whether it happened, before you try again.');
  }
}

const ENDS: Record<string, string> = {
  client: 'it was given back by someone else who uses this account',
  expired: 'its time was up; ask for more minutes next time, or call extend in time',
  idle: 'nobody used it for too long',
  start_failed: 'it could not be started',
  start_timeout: 'it did not start in time',
  device_lost: 'the phone was lost, such as by being unplugged',
  host_lost: 'the machine that it is plugged into was lost',
  admin: 'it was taken back',
};

/** Why a phone is no longer there; a whole sentence. */
export function endInWords({ reason, detail }: Pick<SessionEndedError, 'reason' | 'detail'>): string {
  return `The phone is gone: ${ENDS[reason] ?? 'its session has ended'}${detail === null ? '' : ` (${detail})`}.`;
}

function withNext(message: string, next: string): string {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return `${sentence}${/[.!?]$/.test(sentence) ? '' : '.'} ${next}`.trim();
}
