import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allowOrigins } from './cors.ts';

const ORIGIN = 'https://dashboard.example.com';
let app: FastifyInstance;

beforeAll(async () => {
  app = fastify();
  allowOrigins(app, { basePath: '/v1', origins: [ORIGIN] });
  app.get('/v1/devices', async () => ({}));
  app.get('/livez', async () => ({}));
  await app.ready();
});
afterAll(() => app.close());

const ask = (origin: string, url = '/v1/devices') => app.inject({ url, headers: { origin } });
const preflight = (origin: string) =>
  app.inject({
    ...{ method: 'OPTIONS', url: '/v1/devices' },
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });

test('lets pages of a listed origin read responses and send the key', async () => {
  const { headers } = await ask(ORIGIN);
  expect(headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'origin' });
  expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
  expect(headers['access-control-expose-headers']).toContain('Content-Range');
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  const answer = await preflight(ORIGIN);
  expect(answer.statusCode).toBe(204);
  expect(answer.headers['access-control-allow-headers']).toContain('Authorization');
  expect(answer.headers['access-control-allow-headers']).toContain('Range');
  expect(answer.headers['access-control-allow-methods']).toContain('PATCH');
});

test('sends no headers for other origins and outside the API', async () => {
  for (const response of [await ask('https://evil.example.com'), await preflight('https://evil.example.com')])
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  expect((await ask(ORIGIN, '/livez')).headers['access-control-allow-origin']).toBeUndefined();
});
