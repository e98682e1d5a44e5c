import { expect, test } from 'vitest';
import { ControlError } from '../../client/control-socket.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/errors.ts';
import { texts } from '../texts.ts';
import { errorSentence } from './error-sentence.ts';

const refusal = (name: keyof typeof ERRORS, data = {}) =>
  new ServiceError('as the service put it', ERRORS[name].code, ERRORS[name].status, data);

test('a phone in use and one that is being cleaned are told apart', () => {
  expect(errorSentence(refusal('deviceUnavailable', { reason: 'in_use' }))).toBe(texts.errors.inUse);
  expect(errorSentence(refusal('deviceUnavailable', { reason: 'cleaning' }))).toBe(texts.errors.notUsable);
});

test('a quota says how much of it is left', () => {
  const minutes = refusal('quotaExceeded', { kind: 'minutes', limit: 60, used: 50 });
  expect(errorSentence(minutes)).toContain('10 minutes');
  expect(errorSentence(refusal('quotaExceeded', { kind: 'sessions' }))).toBe(texts.errors.quotaSessions);
  expect(errorSentence(refusal('quotaExceeded', { kind: 'apps', limit: 500 }))).toContain('500 apps');
});

test('a service that does not answer, and a gateway that answers for it', () => {
  expect(errorSentence(new ServiceError('no', 0, 0))).toBe(texts.errors.unreachable);
  expect(errorSentence(new ServiceError('no', 0, 502))).toBe(texts.errors.unavailable);
});

test('whatever has no sentence of its own is passed on', () => {
  expect(errorSentence(refusal('invalid'))).toBe('The service refused: as the service put it.');
  expect(errorSentence(new ControlError('rotation is locked.'))).toBe(
    'The phone did not do that: rotation is locked.',
  );
  expect(errorSentence(new Error('secret detail'))).toBe(texts.errors.crash);
});
