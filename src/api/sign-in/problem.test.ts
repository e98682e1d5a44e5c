import { ClientError } from 'openid-client';
import { expect, test } from 'vitest';
import { describeCause, problemOf } from './problem.ts';

const coded = (code: string) =>
  Object.assign(new ClientError('said the library', { cause: new Error('the cause') }), { code });

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

test('the log has the reason, and nothing of what was sent', () => {
  const error = new ClientError('unexpected claim', { cause: { id_token: 'eyJ.secret' } });
  expect(describeCause(error)).toEqual({ reason: 'unexpected claim', detail: null });
  expect(describeCause(coded('x'))).toEqual({ reason: 'said the library', detail: 'the cause' });
});
