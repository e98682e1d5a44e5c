import { ApiError } from '../../contract/http/errors.ts';
import { isWatchLink } from '../../contract/http/watch-link.ts';
import type { Slots } from '../../util/slots.ts';

/**
 * Reserves one of the slots of an account, or of a link to a recording, until the result is disposed.
 * @param what what occupies the slots, in the plural
 * @throws ApiError 40029 when the subject has used its share, 50300 when no slot is left
 */
export function reserveSlot(slots: Slots, subject: string, what: string): Disposable {
  const release = slots.reserve(subject);
  const retry = { 'retry-after': '5' };
  if (release === 'full') {
    throw new ApiError('unavailable', `too many ${what} are in progress; try again shortly`, {}, retry);
  }
  if (release === 'subject-full') {
    const message = `the ${isWatchLink(subject) ? 'link' : 'account'} has ${slots.perSubject} ${what} in progress; wait for one to end`;
    throw new ApiError('rateLimited', message, { limit: slots.perSubject }, retry);
  }
  return { [Symbol.dispose]: release };
}
