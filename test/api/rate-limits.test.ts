import { type IncomingHttpHeaders, request } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { RequestRates } from '../../src/api/limits/request-limits.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: { code: number; message: string; data: Record<string, unknown> };
}

let rig: ApiRig;
afterEach(() => rig[Symbol.asyncDispose]());
const begin = async (rates: Partial<RequestRates>, trustedProxies?: string[]) => {
  rig = await startApiRig({ rates, trustedProxies });
};

/** @param from source address of the request; the whole range 127.0.0.0/8 belongs to this machine */
function ask(
  key: string | null,
  { path = '/devices', method = 'GET', from = '127.0.0.1', more = {} } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { ...more, ...(key !== null && { authorization: `Bearer ${key}` }) };
  request(`${rig.baseUrl}${path}`, { agent: false, method, headers, localAddress: from }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      resolve({ status: response.statusCode!, headers: response.headers, body });
    });
  })
    .on('error', reject)
    .end();
  return promise;
}

async function codes(count: number, work: () => Promise<Answer>): Promise<number[]> {
  const seen: number[] = [];
  for (let n = 0; n < count; n += 1) seen.push((await work()).body.code);
  return seen;
}

describe('requests', () => {
  test('are limited by key, with the limit in every response, independently of other keys', async () => {
    await begin({ key: 60 });
    const [one, two] = [await rig.key(), await rig.key()];
    const first = await ask(one.key);
    expect(first).toMatchObject({ status: 200, headers: { 'ratelimit-policy': '"key";q=10;w=10' } });
    expect(first.headers.ratelimit).toMatch(/^"key";r=9;t=\d+$/);
    expect(await codes(9, () => ask(one.key))).toEqual(Array(9).fill(0));
    const refused = await ask(one.key);
    expect(refused).toMatchObject({ status: 429, body: { code: 40029, data: { limit: 10, of: 'key' } } });
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'ratelimit-remaining': '0' });
    expect(refused.body.message).toContain('try again in 1 s');
    expect((await ask(two.key)).body.code).toBe(0);
    rig.travel(1_000);
    expect(await codes(2, () => ask(one.key))).toEqual([0, 40029]);
  });

  test('to connect have a tighter limit, and a rejected one has no effect and no audit event', async () => {
    await begin({ connect: 12 });
    const { key } = await rig.key();
    await rig.report({ id: 'd1' });
    const connect = () => ask(key, { path: '/devices/d1/connect', method: 'POST' });
    const borrow = () => ask(key, { path: '/sessions', method: 'POST' });
    expect(await codes(1, connect)).toEqual([0]);
    expect(await codes(1, borrow)).toEqual([40010]);
    const addAudit = vi.spyOn(rig.store, 'addAudit');
    expect([...(await codes(2, connect)), ...(await codes(2, borrow))]).toEqual(Array(4).fill(40029));
    expect(addAudit).not.toHaveBeenCalled();
    expect((await ask(key)).headers['ratelimit-policy']).toBeUndefined();
    expect((await ask(key, { path: '/sessions' })).body.data).toMatchObject({ total: 1 });
  });

  test('from one address are limited regardless of their keys', async () => {
    await begin({ address: 12 });
    const [one, two] = [await rig.key(), await rig.key()];
    expect([...(await codes(1, () => ask(one.key))), ...(await codes(1, () => ask(two.key)))]).toEqual([
      0, 0,
    ]);
    expect(await codes(1, () => ask(one.key))).toEqual([40029]);
    expect(await codes(1, () => ask(one.key, { from: '127.0.0.2' }))).toEqual([0]);
  });

  test('are attributed to the client address through a trusted proxy, and to the proxy otherwise', async () => {
    await begin({ address: 12 }, ['127.0.0.7', '10.0.0.0/8']);
    const { key } = await rig.key();
    const through = (from: string, forwarded: string) => () =>
      ask(key, { from, more: { 'x-forwarded-for': forwarded } });
    expect(await codes(3, through('127.0.0.7', '203.0.113.5'))).toEqual([0, 0, 40029]);
    expect(await codes(1, through('127.0.0.7', '203.0.113.6'))).toEqual([0]);
    // The service does not trust addresses that the client itself put in front.
    expect(await codes(1, through('127.0.0.7', '198.51.100.1, 203.0.113.5'))).toEqual([40029]);
    expect(await codes(1, through('127.0.0.7', '203.0.113.5, 10.1.2.3'))).toEqual([40029]);
    expect(await codes(2, through('127.0.0.8', '203.0.113.9'))).toEqual([0, 0]);
    expect(await codes(1, through('127.0.0.8', '203.0.113.10'))).toEqual([40029]);
  });

  test('with invalid keys limit only their own address, but not a client that was valid there before', async () => {
    await begin({ failed: 6 });
    const [known, fresh] = [await rig.key(), await rig.key()];
    const authenticate = vi.spyOn(rig.store, 'authenticate');
    expect(await codes(1, () => ask(known.key))).toEqual([0]);
    expect(await codes(5, () => ask('pb_wrong'))).toEqual([40001, 40001, 40001, 40029, 40029]);
    expect(await codes(1, () => ask(null))).toEqual([40029]);
    const lookups = authenticate.mock.calls.length;
    const refused = await ask('pb_wrong');
    expect(refused).toMatchObject({ status: 429, body: { data: { of: 'failed' } } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await codes(1, () => ask(fresh.key))).toEqual([40029]);
    expect(authenticate.mock.calls.length).toBe(lookups);
    expect(await codes(1, () => ask(known.key))).toEqual([0]);
    expect(await codes(1, () => ask(fresh.key, { from: '127.0.0.2' }))).toEqual([0]);
    expect(await codes(1, () => ask('pb_wrong', { from: '127.0.0.2' }))).toEqual([40001]);
  });
});
