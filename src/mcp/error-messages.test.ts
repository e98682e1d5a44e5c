import { expect, test } from 'vitest';
import { ServiceError } from '../client/service-error.ts';
import { ERRORS, type ErrorName } from '../contract/http/errors.ts';
import { errorMessage } from './error-messages.ts';
import { TOOLS } from './phone-server.ts';

const service = (kind: ErrorName, message: string, data: Record<string, unknown> = {}) =>
  new ServiceError(message, ERRORS[kind].code, ERRORS[kind].status, data);

test.each([
  [
    'body.duration',
    'must be a whole number from 1 to 480',
    '`minutes` must be a whole number from 1 to 480.',
  ],
  [
    'body.wait',
    'must be a whole number from 0 to 600',
    '`wait_seconds` must be a whole number from 0 to 600.',
  ],
  ['query.max_side', 'must be a number', '`max_side` must be a number.'],
  [
    'body.duration',
    'must not make the session longer than 480 minutes',
    '`minutes` must not make the session longer than 480 minutes.',
  ],
])('reports an invalid API field as an argument of the tool: %s', (field, message, words) => {
  const error = service('invalid', `${field} ${message}`, { errors: [{ field, message }] });
  expect(errorMessage(error)).toBe(words);
});

test('explains by its reason why a phone cannot be borrowed', () => {
  const one = service('deviceUnavailable', 'the device is in use', { reason: 'in_use' });
  expect(errorMessage(one)).toMatch(/^The phone is in use\. Call list_phones/);
  const any = service('deviceUnavailable', 'none', { reason: 'offline', matching: 1, ahead: 0 });
  expect(errorMessage(any)).toMatch(/^The only phone that matches is offline\. .*wait_seconds/);
});

test('mentions no route, field path or HTTP status in a result', () => {
  const messages = (Object.keys(ERRORS) as ErrorName[]).map((kind) =>
    errorMessage(service(kind, 'the session is not connected yet', { reason: 'in_use', matching: 2 })),
  );
  expect(messages).not.toContain(null);
  for (const text of [...messages, ...TOOLS.map((tool) => JSON.stringify(tool.input))]) {
    expect(text).not.toMatch(/\b(GET|POST) \/|\bbody\.|\bquery\.|\bHTTP\b(?!s?:)|4\d\d\d\d/);
  }
});

test('replaces messages of the HTTP API that tell clients which request to send', () => {
  const message = 'not connected yet; GET /sessions/s1 shows when it is';
  expect(errorMessage(service('sessionNotConnected', message))).toBe(
    'The phone is still starting. Try again in a few seconds.',
  );
  expect(errorMessage(service('internal', message))).toMatch(/^The service failed\. Try once more/);
});
