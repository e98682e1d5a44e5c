import { expect, test } from 'vitest';
import { operations } from '../contract/operations.ts';
import { routeNotFound } from './route-not-found.ts';

const explain = routeNotFound('/v1', Object.values(operations({ maxDurationMinutes: 480 })));

test('a path that exists says what it takes', () => {
  const error = explain({ method: 'GET', url: '/v1/devices/d1/connect?x=1' });
  expect(error).toMatchObject({ code: 40007, status: 404, headers: { allow: 'POST' } });
  expect(error.message).toBe('/v1/devices/d1/connect takes POST, not GET');
});

test('a path that does not exist says where to look', () => {
  const error = explain({ method: 'GET', url: '/v1/phones' });
  expect(error.message).toBe('/v1/phones is no route of this API; see /docs');
  expect(error.headers).toEqual({});
});
