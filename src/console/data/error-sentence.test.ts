import { expect, test } from 'vitest';
import { ControlError } from '../../client/control-socket.ts';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { texts } from '../texts.ts';
import { errorSentence } from './error-sentence.ts';

const refusal = (name: keyof typeof ERRORS, data = {}) =>
  new ServiceError('as the service put it', ERRORS[name].code, ERRORS[name].status, data);

test('distinguishes a phone in use from one that is being cleaned', () => {
  expect(errorSentence(refusal('deviceUnavailable', { reason: 'in_use' }))).toBe(texts.errors.inUse);
  expect(errorSentence(refusal('deviceUnavailable', { reason: 'cleaning' }))).toBe(texts.errors.notUsable);
});

test('states the remaining quota', () => {
  const minutes = refusal('quotaExceeded', { kind: 'minutes', limit: 60, used: 50 });
  expect(errorSentence(minutes)).toContain('10 minutes');
  expect(errorSentence(refusal('quotaExceeded', { kind: 'sessions' }))).toBe(texts.errors.quotaSessions);
  expect(errorSentence(refusal('quotaExceeded', { kind: 'apps', limit: 500 }))).toContain('500 apps');
});

test('names the field whose value is invalid', () => {
  const errors = [{ field: 'body.url', message: 'must have a host on the public Internet' }];
  expect(errorSentence(refusal('invalid', { errors }))).toBe(
    'The service rejected the value of “url”: it must have a host on the public Internet.',
  );
});

test('explains an unreachable service and a gateway error', () => {
  expect(errorSentence(new ServiceError('no', 0, 0))).toBe(texts.errors.unreachable);
  expect(errorSentence(new ServiceError('no', 0, 502))).toBe(texts.errors.unavailable);
});

test('passes on an error without a dedicated sentence', () => {
  expect(errorSentence(refusal('invalid'))).toBe('The service rejected the request: as the service put it.');
  expect(errorSentence(new ControlError('rotation is locked.'))).toBe(
    'The command failed on the phone: rotation is locked.',
  );
  expect(errorSentence(new Error('secret detail'))).toBe(texts.errors.crash);
});
