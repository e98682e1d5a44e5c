import { expect, test } from 'vitest';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { operatorSentence } from './operator-sentence.ts';

const refused = (name: keyof typeof ERRORS, data: Record<string, unknown> = {}) =>
  operatorSentence(new ServiceError('service message', ERRORS[name].code, ERRORS[name].status, data));

test.each([
  [refused('forbidden'), /role “admin”/],
  [refused('deviceUnavailable', { reason: 'present' }), /Disconnect it first/],
  [refused('deviceUnavailable', { reason: 'in_use' }), /End the session first/],
  [refused('deviceUnavailable', { reason: 'cleaning' }), /being cleaned/],
  [refused('sessionEnded'), /no session to end/],
  [refused('resourceNotFound', { kind: 'account' }), /The account no longer exists/],
  [
    refused('invalid', { errors: [{ field: 'body.max_sessions', message: 'must be a whole number' }] }),
    /the value of “max sessions”: it must be a whole number\.$/,
  ],
  [refused('unavailable'), /Try again in a moment/],
])('%s', (sentence, words) => {
  expect(sentence).toMatch(words);
  expect(sentence).toMatch(/^[A-Z].*\.$/);
});
