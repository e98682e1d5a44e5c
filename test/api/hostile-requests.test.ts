import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/util/log.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

const logged: string[] = [];
const note = (fields: object, message: string) =>
  void logged.push(`${message} ${String((fields as { err?: Error }).err?.stack)}`);
const log: Log = { ...silentLog, warn: note, error: note };

let rig: ApiRig;
let key: string;
let origin: string;
beforeAll(async () => {
  rig = await startApiRig({ pages: true, log });
  key = (await rig.key()).key;
  origin = new URL(rig.baseUrl).origin;
});
afterAll(() => rig[Symbol.asyncDispose]());

/** Sends the request text unchanged and returns the response. HTTP clients would normalize its path and headers. */
async function raw(text: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close', { signal: AbortSignal.timeout(60_000) });
  const [head = '', ...body] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: body.join('\r\n\r\n') };
}

const request = (line: string, headers: string[] = [], body = '') =>
  raw(
    [line, 'Host: localhost', 'Connection: close', `Authorization: Bearer ${key}`, ...headers, '', body].join(
      '\r\n',
    ),
  );

describe('answers a hostile request with 4xx and does not log it as an error', () => {
  const long = 'x'.repeat(5_000);
  test.each(
    [
      'GET /a/../x.js HTTP/1.1',
      'GET /../../../etc/passwd.js HTTP/1.1',
      'GET /assets/../../package.json HTTP/1.1',
      'GET /a/..%2fx.js HTTP/1.1',
      'GET /%2e%2e/x.js HTTP/1.1',
      'GET /a%00.js HTTP/1.1',
      'GET /..\\..\\x.js HTTP/1.1',
      'GET //evil.example/x.js HTTP/1.1',
      'GET http://evil.example/x.js HTTP/1.1',
      'GET /docs/../x.js HTTP/1.1',
      'GET /docs/%2e%2e/%2e%2e/package.json HTTP/1.1',
      'GET /docs/a%00b.html HTTP/1.1',
      'GET /docs/api/../../x.js HTTP/1.1',
      'GET /docs/api/static/../../../x.js HTTP/1.1',
      'GET /docs/api/static/a%00.js HTTP/1.1',
      `GET /docs/${long} HTTP/1.1`,
      `GET /${long}.js HTTP/1.1`,
      `GET /${'a/'.repeat(2_000)}x.js HTTP/1.1`,
      `GET /v1/devices/${long} HTTP/1.1`,
      `GET /v1/devices/${'%41'.repeat(4_500)} HTTP/1.1`,
      `GET /v1/sessions/${long}/screenshot HTTP/1.1`,
      `GET /v1/apps/${long}/icon HTTP/1.1`,
      'GET /v1/devices/%00 HTTP/1.1',
      'GET /v1/devices/a%00b HTTP/1.1',
      'GET /v1/devices/%zz HTTP/1.1',
      'GET /v1/devices/%ff%fe HTTP/1.1',
      'GET /v1/devices/%ed%a0%80 HTTP/1.1',
      'GET /%zz HTTP/1.1',
      'GET /v1/devices?brand=%zz&__proto__=1 HTTP/1.1',
      `GET /v1/devices?${'a=1&'.repeat(3_000)} HTTP/1.1`,
      'GET /v1/devices?page=99999999999999999999 HTTP/1.1',
      'GET /v1/devices?page[]=1 HTTP/1.1',
      'GET /v1/devices/ HTTP/1.1',
      'GET /v1//devices HTTP/1.1',
      'GET /v1 HTTP/1.1',
      'TRACE / HTTP/1.1',
      'TRACE /v1/devices HTTP/1.1',
      'PROPFIND /v1/devices HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'OPTIONS /v1/devices HTTP/1.1',
      'PUT /x.js HTTP/1.1',
      'DELETE / HTTP/1.1',
      'QUERY /v1/devices HTTP/1.1',
      'BREW /v1/devices HTTP/1.1',
      'GET /v1/devices HTTP/9.9',
      'GET /v1/devices/none HTTP/1.0',
      'GET /x.js HTTP/1.0',
    ].map((line) => [line.slice(0, 60), line] as const),
  )('%s', async (_, line) => {
    logged.length = 0;
    const { status } = await request(line);
    expect(logged).toEqual([]);
    expect(status).toBeGreaterThanOrEqual(300);
    expect(status).toBeLessThan(500);
  });

  test.each([
    ['a non-numeric content length', ['Content-Length: abc', 'Content-Type: application/json'], '{}'],
    ['a negative content length', ['Content-Length: -1', 'Content-Type: application/json'], ''],
    [
      'two content lengths',
      ['Content-Length: 2', 'Content-Length: 3', 'Content-Type: application/json'],
      '{}',
    ],
    [
      'a content length and chunked encoding',
      ['Content-Length: 2', 'Transfer-Encoding: chunked', 'Content-Type: application/json'],
      '2\r\n{}\r\n0\r\n\r\n',
    ],
    ['a malformed chunk', ['Transfer-Encoding: chunked', 'Content-Type: application/json'], 'zz\r\n{}\r\n'],
    ['an unknown transfer encoding', ['Transfer-Encoding: gzip', 'Content-Type: application/json'], '{}'],
    ['an unknown content type', ['Content-Length: 2', 'Content-Type: ;;;'], '{}'],
    ['no content type', ['Content-Length: 2'], '{}'],
    ['an unknown expectation', ['Expect: 200-maybe', 'Content-Length: 2'], '{}'],
    ['a malformed range', ['Range: bytes=9-1', 'If-Range: "x"'], ''],
    ['a header without a name', [': x'], ''],
  ])('rejects a body with %s', async (_, headers, body) => {
    logged.length = 0;
    const { status } = await request('POST /v1/devices/none/connect HTTP/1.1', headers, body);
    expect(logged).toEqual([]);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test('answers a path parameter of any length as a resource that does not exist', async () => {
    for (const length of [200, 4_000, 5_000, 12_000]) {
      const { status, body } = await request(`GET /v1/devices/${'x'.repeat(length)} HTTP/1.1`);
      expect({ status, code: JSON.parse(body).code }).toEqual({ status: 404, code: 40004 });
    }
  });
});

describe('API descriptions', () => {
  test.each(['/openapi.json', '/asyncapi.json'])(
    'builds %s once and answers a conditional request with 304',
    async (path) => {
      const first = await fetch(`${origin}${path}`);
      const text = await first.text();
      expect(first.headers.get('content-type')).toMatch(/^application\/json/);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      const tag = first.headers.get('etag')!;
      expect(tag).toMatch(/^"[\w-]+"$/);
      expect(JSON.parse(text)).toHaveProperty('info.version');
      const again = await fetch(`${origin}${path}`, { headers: { 'if-none-match': `W/"other", ${tag}` } });
      expect(again.status).toBe(304);
      expect(again.headers.get('etag')).toBe(tag);
      expect(await again.text()).toBe('');
      const other = await fetch(`${origin}${path}`, { headers: { 'if-none-match': '"other"' } });
      expect(await other.text()).toBe(text);
    },
  );
});

test('limits documents, files, unknown routes and malformed paths by address, except probes', async () => {
  await using limited = await startApiRig({ pages: true, rates: { address: 36 } });
  const { origin: at } = new URL(limited.baseUrl);
  const paths = ['/', '/docs/', '/icon.svg', '/nothing.js', '/v1/nothing', '/openapi.json'];
  // The whole response is read: a connection with unread data would stay open until the garbage collector finds it.
  const statusOf = async (path: string) => {
    const response = await fetch(`${at}${path}`);
    await response.arrayBuffer();
    return response.status;
  };
  for (const path of paths) expect(await statusOf(path)).not.toBe(429);
  for (const path of [...paths, '/%zz']) {
    const refused = await fetch(`${at}${path}`);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 40029, data: { of: 'address' } });
  }
  for (const path of ['/livez', '/readyz']) expect(await statusOf(path)).toBe(200);
});
