import { expect, test } from 'vitest';
import { ServiceError } from '../../client/service-error.ts';
import { connectOffer } from './connect-offer.ts';

const refused = (code: number, reason: string) =>
  new ServiceError('the device is not available', code, 409, { reason });

test('offers to connect to a phone that may be available', () => {
  expect(connectOffer('available', null)).toBe('connect');
  expect(connectOffer(undefined, null)).toBe('connect');
});

test('offers to wait for a phone that is busy, and for one whose connect was refused', () => {
  expect(connectOffer('busy', null)).toBe('busy');
  expect(connectOffer('available', refused(40010, 'in_use'))).toBe('busy');
  expect(connectOffer('available', refused(40010, 'offline'))).toBe('unavailable');
});

test('keeps offering to connect after another error', () => {
  expect(connectOffer('available', refused(40011, 'quota'))).toBe('connect');
});
