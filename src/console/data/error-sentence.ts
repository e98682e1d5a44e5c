import { ControlError } from '../../client/control-socket.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS, type ErrorName, type FieldError } from '../../contract/http/errors.ts';
import { RPC_ERRORS } from '../../contract/sockets/rpc-errors.ts';
import { texts } from '../texts.ts';

const text = texts.errors;
const withoutFullStop = (message: string) => message.replace(/\.$/, '');

const NAMES = new Map(
  Object.entries(ERRORS).map(([name, { code }]) => [code as number, name as ErrorName] as const),
);

function quotaSentence({ data }: ServiceError): string {
  const { kind, limit, used } = data;
  if (kind === 'sessions') return text.quotaSessions;
  if (kind === 'keys') return text.quotaKeys(typeof limit === 'number' ? limit : 0);
  if (kind === 'apps') return text.quotaApps(typeof limit === 'number' ? limit : 0);
  if (kind === 'webhooks') return text.quotaWebhooks(typeof limit === 'number' ? limit : 0);
  return text.quotaMinutes(
    typeof limit === 'number' && typeof used === 'number' ? Math.max(0, limit - used) : 0,
  );
}

/** Names the first invalid field. */
function invalidSentence({ data, message }: ServiceError): string {
  const [first] = Array.isArray(data.errors) ? (data.errors as Partial<FieldError>[]) : [];
  if (first?.field === undefined || first.message === undefined) return text.other(withoutFullStop(message));
  const name = first.field.replace(/^[a-z]+\./, '').replaceAll('_', ' ');
  return text.invalid(name, withoutFullStop(first.message));
}

function serviceSentence(error: ServiceError): string {
  if (error.status === 0) return text.unreachable;
  switch (NAMES.get(error.code)) {
    case 'invalid':
      return invalidSentence(error);
    case 'forbidden':
      return text.forbidden;
    case 'deviceNotFound':
      return text.deviceNotFound;
    case 'appNotFound':
      return text.appNotFound;
    case 'bodyTooLarge':
      return text.tooLarge(withoutFullStop(error.message));
    case 'sessionNotFound':
      return text.sessionNotFound;
    case 'deviceUnavailable':
      return error.data.reason === 'in_use' ? text.inUse : text.notUsable;
    case 'quotaExceeded':
      return quotaSentence(error);
    case 'sessionEnded':
      return text.sessionEnded;
    case 'sessionNotConnected':
      return texts.session.notReady;
    case 'fileExists':
      return text.fileExists;
    case 'rateLimited':
      return text.rateLimited;
    case 'unavailable':
      return text.unavailable;
    case 'internal':
      return text.internal;
    default:
      // A reverse proxy in front of the service answers 502 or 504 while the service restarts.
      return error.code === 0 && error.status >= 500
        ? text.unavailable
        : text.other(withoutFullStop(error.message));
  }
}

/** Returns what went wrong and what to do next, for a user of the console. */
export function errorSentence(error: unknown): string {
  if (error instanceof ServiceError) return serviceSentence(error);
  if (error instanceof ControlError && error.code === RPC_ERRORS.notConnected) return texts.session.notReady;
  if (error instanceof ControlError) return texts.session.commandFailed(withoutFullStop(error.message));
  return text.crash;
}
