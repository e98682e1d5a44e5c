import { ApiError } from '../../contract/http/errors.ts';
import type { Slots } from '../../util/slots.ts';

/**
 * Reserves one of an account's slots until the result is disposed.
 * @param what what occupies the slots, in the plural
 * @throws ApiError 40029 when the account has used its share, 50300 when no slot is left
 */
export function reserveSlot(slots: Slots, accountId: string, what: string): Disposable {
  const release = slots.reserve(accountId);
  const retry = { 'retry-after': '5' };
  if (release === 'full') {
    throw new ApiError('unavailable', `too many ${what} are in progress; try again shortly`, {}, retry);
  }
  if (release === 'subject-full') {
    const message = `the account has ${slots.perSubject} ${what} in progress; wait for one to end`;
    throw new ApiError('rateLimited', message, { limit: slots.perSubject }, retry);
  }
  return { [Symbol.dispose]: release };
}
