import { ClientError } from 'openid-client';
import { expect, test } from 'vitest';
import { describeCause, problemOf } from './problem.ts';

const coded = (code: string) =>
  Object.assign(new ClientError('library error', { cause: new Error('the cause') }), { code });

test.each([
  [coded('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'), 'clock'],
  [coded('OAUTH_TIMEOUT'), 'unreachable'],
  [coded('OAUTH_RESPONSE_IS_NOT_CONFORM'), 'unreachable'],
  [coded('OAUTH_JWT_CLAIM_COMPARISON_FAILED'), 'untrusted'],
  [new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }), 'unreachable'],
  [new TypeError('"config" is wrong'), 'untrusted'],
  [new Error('anything else'), 'untrusted'],
])('%s', (error, problem) => {
  expect(problemOf(error)).toBe(problem);
});

test('logs the reason without the submitted values', () => {
  const error = new ClientError('unexpected claim', { cause: { id_token: 'eyJ.secret' } });
  expect(describeCause(error)).toEqual({ reason: 'unexpected claim', detail: null });
  expect(describeCause(coded('x'))).toEqual({ reason: 'library error', detail: 'the cause' });
});
