import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ApiError } from '../../contract/http/errors.ts';
import { Metrics } from './metrics.ts';
import { withMetrics } from './metrics-page.ts';

const KEY = 'k'.repeat(32);
const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function serve(key: string | null, onWrongKey?: () => void): Promise<string> {
  const metrics = new Metrics({ version: '1.2.3', roles: ['api'] });
  metrics.answered({ operation: 'devices.list', code: 0, seconds: 0.003 });
  metrics.answered({ operation: 'devices.connect', code: 40010, seconds: 0.004 });
  metrics.observeStep('stream.first-frame', 'ok', 0.2);
  const server = createServer(
    withMetrics(metrics, { key, onWrongKey }, (_, response) => response.end('the rest')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('serves metrics in the Prometheus text format to this machine', async () => {
  const answer = await fetch(`${await serve(null)}/metrics?ignored`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  expect(text).toContain('phonebooth_info{version="1.2.3",roles="api"} 1');
  expect(text).toContain('phonebooth_http_answers_total{operation="devices.list",code="0"} 1');
  expect(text).toContain('phonebooth_http_answers_total{operation="devices.connect",code="40010"} 1');
  expect(text).toContain(
    'phonebooth_session_step_seconds_bucket{le="0.25",step="stream.first-frame",outcome="ok"} 1',
  );
  expect(text).toContain('process_resident_memory_bytes');
});

test('denies access through a proxy if no key is configured', async () => {
  const origin = await serve(null);
  const answer = await fetch(`${origin}/metrics`, { headers: { 'x-forwarded-for': '127.0.0.1' } });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({
    code: 40003,
    message: expect.stringContaining('PHONEBOOTH_METRICS_KEY'),
  });
});

test('denies access to a page whose host name resolves to this machine', async () => {
  const { port } = new URL(await serve(null));
  const read = async (host: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    get({ host: '127.0.0.1', port, path: '/metrics', agent: false, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).on('error', reject);
    return promise;
  };
  for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`]) expect(await read(host)).toBe(200);
  for (const host of [`evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example', '%']) {
    expect(await read(host)).toBe(403);
  }
});

test('counts invalid keys and rejects an address that sent too many', async () => {
  let left = 1;
  const origin = await serve(KEY, () => {
    if (left === 0) throw new ApiError('rateLimited', 'too many failures', {}, { 'retry-after': '7' });
    left -= 1;
  });
  expect((await fetch(`${origin}/metrics`)).status).toBe(401);
  const refused = await fetch(`${origin}/metrics`);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('7');
  const right = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(right.status).toBe(200);
});

test('requires the configured key from every client', async () => {
  const origin = await serve(KEY);
  const read = (authorization?: string) =>
    fetch(`${origin}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
  expect((await read(`Bearer ${KEY}`)).status).toBe(200);
  for (const wrong of [undefined, '', 'Bearer', `Bearer ${KEY}x`, `Basic ${KEY}`]) {
    const answer = await read(wrong);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await answer.json()).toMatchObject({ code: 40001 });
  }
});

test('passes all other requests on', async () => {
  const origin = await serve(null);
  expect(await (await fetch(`${origin}/metrics-of-mine`)).text()).toBe('the rest');
  expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405);
});

test('reports the current value of a counter on every scrape', async () => {
  const metrics = new Metrics({ version: '1.2.3', roles: ['stream'] });
  const counted = { frames: 0 };
  metrics.register([{ of: 'frames', type: 'counter', name: 'frames_total', help: 'Frames' }], () => counted);
  counted.frames = 7;
  await metrics.read();
  expect(await metrics.read()).toContain('\nframes_total 7\n');
});
