import { expect, test } from 'vitest';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { operatorSentence } from './operator-sentence.ts';

const refused = (name: keyof typeof ERRORS, data: Record<string, unknown> = {}) =>
  operatorSentence(new ServiceError('service message', ERRORS[name].code, ERRORS[name].status, data));

test.each([
  [refused('forbidden'), /role “admin”/],
  [refused('deviceUnavailable', { reason: 'present' }), /Unplug it first/],
  [refused('deviceUnavailable', { reason: 'in_use' }), /Release it first/],
  [refused('deviceUnavailable', { reason: 'cleaning' }), /being cleaned/],
  [refused('sessionEnded'), /nothing to release/],
  [refused('resourceNotFound', { kind: 'account' }), /The account is not there any more/],
  [
    refused('invalid', { errors: [{ field: 'body.name', message: 'is taken' }] }),
    /did not take it: it is taken\.$/,
  ],
  [refused('unavailable'), /Try again in a moment/],
])('%s', (sentence, words) => {
  expect(sentence).toMatch(words);
  expect(sentence).toMatch(/^[A-Z].*\.$/);
});
