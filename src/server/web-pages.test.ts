import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { addWebPages } from './web-pages.ts';

test('creates the API descriptions once', async () => {
  await using opened = new AsyncDisposableStack();
  const app = fastify();
  opened.defer(() => app.close());
  const openApi = vi.fn(() => ({ openapi: '3.1.0' }));
  const origins = vi.fn(() => ({ stream: 'wss://stream.example', control: 'wss://control.example' }));
  await addWebPages(app, { origins, openApi });
  const tagOf = async (path: string) => (await app.inject(path)).headers.etag;
  const tag = await tagOf('/openapi.json');
  expect(await tagOf('/openapi.json')).toBe(tag);
  expect(openApi).toHaveBeenCalledTimes(1);
  const { externalDocs } = (
    await app.inject({ url: '/openapi.json', headers: { host: 'Phones.example' } })
  ).json();
  expect(externalDocs.url).toBe('http://phones.example/docs/');
  const first = await tagOf('/asyncapi.json');
  origins.mockClear();
  expect(await tagOf('/asyncapi.json')).toBe(first);
  expect(origins).not.toHaveBeenCalled();
});
