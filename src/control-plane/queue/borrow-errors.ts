import { ApiError } from '../../contract/http/errors.ts';
import type { BorrowRefusal, UnavailableReason } from '../../domain/refusals.ts';
import type { PhoneFilter, QueueStanding } from '../../store/queue/phone-queue.ts';
import { refusalError } from '../refusal-errors.ts';
import type { BorrowRequest } from './borrow-request.ts';

/** The API error for a rejected borrow request. */
export function borrowError(
  refusal: Exclude<BorrowRefusal, { why: 'none-free' }>,
  request: BorrowRequest,
): ApiError {
  switch (refusal.why) {
    case 'no-phone-matches':
      return new ApiError('deviceNotFound', noMatch(request.filter));
    case 'queue-full':
      return new ApiError(
        'rateLimited',
        `${refusal.limit} requests are already waiting for phones, which is the limit; try again later`,
        { limit: refusal.limit },
        { 'retry-after': '10' },
      );
    default:
      return refusalError(refusal, request.sessionId, request.appId);
  }
}

/** Suffix for the message that no phone is available. */
const WHY_NOT: Record<UnavailableReason, string> = {
  in_use: '',
  cleaning: ' (being cleaned)',
  offline: ' (offline)',
  maintenance: ' (in maintenance)',
  reserved: ' (reserved)',
};

interface NoneAvailable extends Pick<QueueStanding, 'matching' | 'reason'> {
  waitSeconds: number;
  ahead: number;
}

export function noneAvailable({ waitSeconds, matching, reason, ahead }: NoneAvailable): ApiError {
  const why = WHY_NOT[reason];
  const phones = matching === 1 ? 'the only matching phone' : `none of the ${matching} matching phones`;
  const others = ahead === 1 ? '1 request is' : `${ahead} requests are`;
  const message =
    waitSeconds === 0
      ? `${phones} ${matching === 1 ? 'is not available' : 'is available'}${why}, and ${others} waiting; set wait to join the queue`
      : `${phones} ${matching === 1 ? 'did not become' : 'became'} available within ${waitSeconds} s${why}, and ${others} ahead; repeat the request`;
  return new ApiError('deviceUnavailable', message, { reason, matching, ahead });
}

function noMatch({ brand, osVersion, model }: PhoneFilter): string {
  const named = Object.entries({ brand, os_version: osVersion, model })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  if (named.length === 0) return 'this service has no phones; connect a phone to a host first';
  return `no phone of this service matches ${named.join(', ')}; the list of devices has the values that exist`;
}

/**
 * The error when this process shuts down, or when it was suspended for so long that its requests lost their places in
 * the queue.
 */
export const shuttingDown = () =>
  new ApiError(
    'unavailable',
    'this server is shutting down; repeat the request with the same Idempotency-Key to keep its place in ' +
      'the queue',
    {},
    { 'retry-after': '1' },
  );
