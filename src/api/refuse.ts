import { ApiError, invalidField } from '../contract/errors.ts';
import type { ConnectRefusal, ExtendRefusal, QuotaShortfall, UnavailableReason } from '../domain/refusals.ts';

const UNAVAILABLE: Record<UnavailableReason, string> = {
  in_use: 'the device is in use',
  cleaning: 'the device is being cleaned after its last session; try again in a few seconds',
  offline: 'the device is offline',
  maintenance: 'the device is in maintenance',
  reserved: 'the device is reserved',
};

/** The error that a refused connect or extend becomes. `id` is the device's or session's, as the client named it. */
export function refusalError(refusal: ConnectRefusal | ExtendRefusal, id: string): ApiError {
  switch (refusal.why) {
    case 'device-not-found':
      return deviceNotFound(id);
    case 'device-unavailable':
      return new ApiError('deviceUnavailable', UNAVAILABLE[refusal.reason], { reason: refusal.reason });
    case 'quota':
      return quotaError(refusal.shortfall);
    case 'idempotency-conflict':
      return new ApiError(
        'idempotencyConflict',
        'this Idempotency-Key was used with another request; use a new key for a new request',
      );
    case 'ended':
      return sessionEnded(id);
    case 'too-long':
      return invalidField(
        'body.duration',
        `a session is at most ${refusal.maxMinutes} minutes long, and this would make it longer`,
      );
  }
}

function quotaError(shortfall: QuotaShortfall): ApiError {
  const { kind, limit, used, requested } = shortfall;
  const message =
    kind === 'minutes'
      ? `insufficient quota: ${requested} minutes asked for, ${Math.max(0, limit - used)} of ${limit} left this month`
      : `insufficient quota: ${used} of ${limit} concurrent sessions are in use`;
  return new ApiError('quotaExceeded', message, { ...shortfall });
}

export const deviceNotFound = (id: string) =>
  new ApiError('deviceNotFound', `device ${quote(id)} does not exist`);

export const sessionNotFound = (id: string) =>
  new ApiError('sessionNotFound', `session ${quote(id)} does not exist`);

export const sessionEnded = (id: string) => new ApiError('sessionEnded', `session ${quote(id)} has ended`);

/** What a client sent is repeated to it shortened: an error is no place for a kilobyte of somebody's input. */
const quote = (text: string) => JSON.stringify(text.length > 64 ? `${text.slice(0, 63)}…` : text);
