import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Phonebooth } from './phonebooth.ts';
import { PhoneboothClient } from './phonebooth-client.ts';

/** Returns a client that records its requests and receives the same response to each. */
function clientWith(answer: () => Response) {
  const requests: Request[] = [];
  const client = new PhoneboothClient({
    baseUrl: 'http://phones.test/v1',
    key: 'pb_key',
    fetch: async (url, init) => {
      requests.push(new Request(url, init));
      return answer();
    },
  });
  return { client, requests };
}

const success = (data: unknown) => Response.json({ code: 0, message: 'success', data });

test('rejects options that are read from variables which are not set', () => {
  const url = 'http://phones.test';
  for (const wrong of ['', 'undefined', 'phones.test', 'ftp://phones.test'])
    expect(() => new Phonebooth({ url: wrong, key: 'pb_key' })).toThrow('`url` must be the URL of a service');
  for (const wrong of ['', undefined as unknown as string, 'pb_key\n'])
    expect(() => new Phonebooth({ url, key: wrong })).toThrow('`key` must be an API key');
});

describe('PhoneboothClient', () => {
  test('sends the key and omits empty filters', async () => {
    const page = { total: 0, page: 2, page_size: 20, items: [] };
    const { client, requests } = clientWith(() => success(page));
    expect(await client.listDevices({ brand: 'google', status: '', page: 2 })).toEqual(page);
    expect(requests[0]!.url).toBe('http://phones.test/v1/devices?brand=google&page=2');
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer pb_key');
  });

  test('connects with a JSON body and an idempotency key', async () => {
    const { client, requests } = clientWith(() => success({ session_id: 's1' }));
    await client.connect('a/b', { duration: 5 }, { idempotencyKey: 'once' });
    const request = requests[0]!;
    expect(`${request.method} ${request.url}`).toBe('POST http://phones.test/v1/devices/a%2Fb/connect');
    expect(request.headers.get('content-type')).toBe('application/json');
    expect(request.headers.get('idempotency-key')).toBe('once');
    expect(await request.json()).toEqual({ duration: 5 });
  });

  test('disconnects without a body', async () => {
    const { client, requests } = clientWith(() => success({}));
    await client.disconnect('s1');
    expect(requests[0]!.headers.has('content-type')).toBe(false);
    expect(await requests[0]!.text()).toBe('');
  });

  test('lists, shows and deletes apps, and installs one on a session', async () => {
    const { client, requests } = clientWith(() => success({}));
    await client.listApps({ page: 2, page_size: 50 });
    await client.getApp('app_1');
    await client.deleteApp('app_1');
    await client.install('s1', 'app_1', { idempotencyKey: 'once' });
    expect(
      requests.map(({ method, url }) => `${method} ${url.slice('http://phones.test/v1'.length)}`),
    ).toEqual([
      'GET /apps?page=2&page_size=50',
      'GET /apps/app_1',
      'DELETE /apps/app_1',
      'POST /sessions/s1/apps',
    ]);
    expect(await requests[3]!.json()).toEqual({ app_id: 'app_1' });
    expect(requests[3]!.headers.get('idempotency-key')).toBe('once');
  });

  test('downloads an icon with the key, and sends no request for an app without an icon', async () => {
    const { client, requests } = clientWith(
      () => new Response(Uint8Array.of(1, 2), { headers: { 'content-type': 'image/png' } }),
    );
    const icon = await client.appIcon({ icon_url: '/apps/app_1/icon' });
    expect(icon?.type).toBe('image/png');
    expect(new Uint8Array(await icon!.arrayBuffer())).toEqual(Uint8Array.of(1, 2));
    expect(await client.appIcon({ icon_url: null })).toBeNull();
    expect(requests.map(({ url }) => url)).toEqual(['http://phones.test/v1/apps/app_1/icon']);
    expect(requests[0]!.headers.get('authorization')).toBe('Bearer pb_key');
  });

  test('throws an error with the code and data of a rejected request', async () => {
    const refusal = { code: 40010, message: 'device is in use', data: { reason: 'in_use' } };
    const { client } = clientWith(() => Response.json(refusal, { status: 409 }));
    await expect(client.connect('d1')).rejects.toMatchObject({
      name: 'ServiceError',
      message: 'device is in use',
      code: 40010,
      status: 409,
      data: { reason: 'in_use' },
    });
  });

  test('reports a response that does not come from the service', async () => {
    const { client } = clientWith(() => new Response('<html>', { status: 502 }));
    await expect(client.getUsage()).rejects.toMatchObject({ code: 0, status: 502 });
  });

  test('has status 0 if there is no response, and preserves the error of an aborted request', async () => {
    const client = new PhoneboothClient({
      baseUrl: 'http://phones.test/v1',
      key: 'k',
      fetch: async (_, init) => {
        init?.signal?.throwIfAborted();
        throw new TypeError('fetch failed');
      },
    });
    await expect(client.getUsage()).rejects.toMatchObject({ name: 'ServiceError', code: 0, status: 0 });
    await expect(client.getUsage(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('estimates the clock offset of the service', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const ahead = new Date(Date.now() + 600_000).toUTCString();
    const { client } = clientWith(
      () => new Response('{"code":0,"message":"success","data":{}}', { headers: { date: ahead } }),
    );
    await client.getUsage();
    expect(client.clockOffsetMs).toBeGreaterThan(598_000);
    expect(client.clockOffsetMs).toBeLessThan(602_000);
  });
});
