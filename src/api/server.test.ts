import { expect, test } from 'vitest';
import { operations } from '../contract/http/operations.ts';
import { routeNotFound } from './server.ts';

const explain = routeNotFound('/v1', Object.values(operations({ maxDurationMinutes: 480 })));

test('names the allowed methods of an existing path', () => {
  const error = explain({ method: 'GET', url: '/v1/devices/d1/connect?x=1' });
  expect(error).toMatchObject({ code: 40015, status: 405, headers: { allow: 'POST' } });
  expect(error.message).toBe('/v1/devices/d1/connect accepts POST, not GET');
});

test('refers to the documentation if the path does not exist', () => {
  const error = explain({ method: 'GET', url: '/v1/phones' });
  expect(error.message).toBe('/v1/phones is not a route of this API; see /docs');
  expect(error.headers).toEqual({});
});
