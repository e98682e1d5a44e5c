import { expect, test } from 'vitest';
import type { ApiError } from '../../contract/http/errors.ts';
import { RequestLimits, type RequestRates } from './request-limits.ts';

const NONE: RequestRates = { key: null, connect: null, address: null, failed: null };

function limits(rates: Partial<RequestRates>) {
  const clock = { now: 0 };
  return { clock, limits: new RequestLimits({ ...NONE, ...rates }, () => clock.now) };
}

/** The error that `work` throws. */
function refusalOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('the request was admitted');
}

test('allows a key a sixth of its rate per minute as a burst, and reports the remaining requests in headers', () => {
  const { clock, limits: limited } = limits({ key: 60 });
  const ask = () => limited.admitKey('key_1', { connects: false });
  expect(ask()).toEqual({
    'ratelimit-policy': '"key";q=10;w=10',
    ratelimit: '"key";r=9;t=1',
    'ratelimit-limit': '10',
    'ratelimit-remaining': '9',
    'ratelimit-reset': '1',
  });
  for (let n = 0; n < 9; n += 1) ask();
  const refusal = refusalOf(ask);
  expect(refusal).toMatchObject({
    ...{ code: 40029, status: 429 },
    data: { limit: 10, window_seconds: 10, of: 'key', retry_after_seconds: 1 },
    headers: { 'retry-after': '1', ratelimit: '"key";r=0;t=10', 'ratelimit-remaining': '0' },
  });
  expect(refusal.message).toContain('10 in 10 s');
  limited.admitKey('key_2', { connects: false });
  clock.now = 1_000;
  ask();
  expect(refusalOf(ask).code).toBe(40029);
});

test('applies a tighter limit to connects and reports it in the older headers when it is closer', () => {
  const { limits: limited } = limits({ key: 600, connect: 12 });
  expect(limited.admitKey('key_1', { connects: true })).toEqual({
    'ratelimit-policy': '"key";q=100;w=10, "connect";q=2;w=10',
    ratelimit: '"key";r=99;t=1, "connect";r=1;t=5',
    'ratelimit-limit': '2',
    'ratelimit-remaining': '1',
    'ratelimit-reset': '5',
  });
  limited.admitKey('key_1', { connects: true });
  const refusal = refusalOf(() => limited.admitKey('key_1', { connects: true }));
  expect(refusal.data).toMatchObject({ of: 'connect', retry_after_seconds: 5 });
  expect(refusal.headers['retry-after']).toBe('5');
  limited.admitKey('key_1', { connects: false });
});

test('limits the failed authentications of an address without affecting other addresses', () => {
  const { clock, limits: limited } = limits({ failed: 6 });
  for (let n = 0; n < 3; n += 1) {
    limited.admitUnknownKey('192.0.2.1');
    limited.recordFailure('192.0.2.1');
  }
  expect(refusalOf(() => limited.admitUnknownKey('192.0.2.1')).data).toMatchObject({ of: 'failed' });
  limited.admitUnknownKey('192.0.2.2');
  clock.now = 10_000;
  limited.admitUnknownKey('192.0.2.1');
});

test('limits the requests of an address regardless of its keys', () => {
  const { limits: limited } = limits({ address: 6 });
  limited.admitAddress('192.0.2.1');
  expect(refusalOf(() => limited.admitAddress('192.0.2.1')).data).toMatchObject({ of: 'address' });
  limited.admitAddress('192.0.2.2');
});

test('applies one limit to all addresses of an IPv6 /64 network', () => {
  const { limits: limited } = limits({ address: 6, failed: 2 });
  limited.admitAddress('2001:db8::1');
  expect(refusalOf(() => limited.admitAddress('2001:db8::2')).code).toBe(40029);
  limited.admitAddress('2001:db8:0:1::1');
  limited.recordFailure('2001:db8::1');
  expect(refusalOf(() => limited.admitUnknownKey('2001:db8::2')).code).toBe(40029);
  limited.admitUnknownKey('2001:db8:0:1::1');
});

test('admits every request and sends no headers if no limit is configured', () => {
  const { limits: limited } = limits({});
  for (let n = 0; n < 1_000; n += 1) {
    limited.admitAddress('192.0.2.1');
    limited.admitUnknownKey('192.0.2.1');
    limited.recordFailure('192.0.2.1');
    expect(limited.admitKey('key_1', { connects: true })).toEqual({});
  }
  expect(limited.drain(10)).toEqual([]);
});

test('counts the requests that another process admitted', () => {
  const [here, there] = [limits({ key: 60, failed: 60 }).limits, limits({ key: 60, failed: 60 }).limits];
  for (let n = 0; n < 7; n += 1) here.admitKey('key_1', { connects: true });
  here.recordFailure('192.0.2.1');
  const uses = here.drain(10);
  expect(uses).toEqual([
    { limit: 'key', subject: 'key_1', count: 7 },
    { limit: 'failed', subject: '192.0.2.1', count: 1 },
  ]);
  there.spend(uses);
  expect(there.drain(10)).toEqual([]);
  expect(there.admitKey('key_1', { connects: false })['ratelimit-remaining']).toBe('2');
});
