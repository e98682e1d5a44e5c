import swagger from '@fastify/swagger';
import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { addWebPages } from './web-pages.ts';

test('creates the API descriptions once', async () => {
  await using opened = new AsyncDisposableStack();
  const app = fastify();
  opened.defer(() => app.close());
  const document = { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths: {} };
  await app.register(swagger, { mode: 'static', specification: { document } });
  const make = vi.spyOn(app, 'swagger');
  const origins = vi.fn(() => ({ stream: 'wss://stream.example', control: 'wss://control.example' }));
  await addWebPages(app, origins);
  const tagOf = async (path: string) => (await app.inject(path)).headers.etag;
  const tag = await tagOf('/openapi.json');
  make.mockClear();
  expect(await tagOf('/openapi.json')).toBe(tag);
  expect(make).not.toHaveBeenCalled();
  const { externalDocs } = (
    await app.inject({ url: '/openapi.json', headers: { host: 'Phones.example' } })
  ).json();
  expect(externalDocs.url).toBe('http://phones.example/docs/');
  const first = await tagOf('/asyncapi.json');
  origins.mockClear();
  expect(await tagOf('/asyncapi.json')).toBe(first);
  expect(origins).not.toHaveBeenCalled();
});
