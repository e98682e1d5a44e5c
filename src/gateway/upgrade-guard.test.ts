import { expect, test } from 'vitest';
import type { FailureLimit } from '../access/failure-limit.ts';
import { ApiError } from '../contract/http/errors.ts';
import { UpgradeGuard } from './upgrade-guard.ts';

class Invalid extends Error {}
const isInvalid = (error: unknown) => error instanceof Invalid;
const valid = async () => 'admitted';
const invalid = () => Promise.reject(new Invalid());

/** Failed-token limits that reject an address after `most` failures. */
function failuresOf(most: number): FailureLimit {
  const counts = new Map<string, number>();
  return {
    admitUnknownKey: (address) => {
      if ((counts.get(address) ?? 0) >= most) throw new ApiError('rateLimited', 'too many failures');
    },
    recordFailure: (address) => void counts.set(address, (counts.get(address) ?? 0) + 1),
  };
}

test('limits an address that sends invalid tokens, but not a client that was valid before', async () => {
  const guard = new UpgradeGuard(failuresOf(2));
  const admit = (address: string, url: string, lookUp: () => Promise<string>) =>
    guard.admit({ address, url }, lookUp, isInvalid);
  await admit('192.0.2.1', '/stream/good/s1', valid);
  for (let n = 0; n < 2; n += 1) {
    await expect(admit('192.0.2.1', `/stream/${n}/s1`, invalid)).rejects.toThrow(Invalid);
  }
  let lookedUp = false;
  const lookUp = async () => {
    lookedUp = true;
    return 'admitted';
  };
  await expect(admit('192.0.2.1', '/stream/new/s1', lookUp)).rejects.toMatchObject({ code: 40029 });
  expect(lookedUp).toBe(false);
  expect(await admit('192.0.2.1', '/stream/good/s1', valid)).toBe('admitted');
  expect(await admit('192.0.2.2', '/stream/new/s1', valid)).toBe('admitted');
  // An address whose token is no longer valid is removed from the known ones.
  await expect(admit('192.0.2.1', '/stream/good/s1', invalid)).rejects.toThrow(Invalid);
  await expect(admit('192.0.2.1', '/stream/good/s1', valid)).rejects.toMatchObject({ code: 40029 });
});

test('does not count failures other than invalid tokens', async () => {
  const guard = new UpgradeGuard(failuresOf(1));
  const fail = () => Promise.reject(new Error('store unavailable'));
  for (let n = 0; n < 3; n += 1) {
    await expect(guard.admit({ address: '192.0.2.1', url: '/' }, fail, isInvalid)).rejects.toThrow(
      'store unavailable',
    );
  }
});

test('limits the concurrent lookups of an address', async () => {
  const guard = new UpgradeGuard(undefined, { total: 3, perSubject: 2 });
  const held = Promise.withResolvers<string>();
  const admit = (address: string) => guard.admit({ address, url: '/' }, () => held.promise, isInvalid);
  const first = [admit('192.0.2.1'), admit('192.0.2.1')];
  await expect(admit('192.0.2.1')).rejects.toMatchObject({ code: 40029, headers: { 'retry-after': '1' } });
  const other = admit('192.0.2.2');
  await expect(admit('192.0.2.3')).rejects.toMatchObject({ code: 50300 });
  held.resolve('admitted');
  expect(await Promise.all([...first, other])).toEqual(['admitted', 'admitted', 'admitted']);
  expect(await admit('192.0.2.1')).toBe('admitted');
});
