import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PhoneboothClient } from './phonebooth-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (status: number, code: number, headers: Record<string, string> = {}) =>
  Response.json({ code, message: 'so it is', data: {} }, { status, headers });

/** Returns a client that receives these responses in turn, and the requests that it made. */
function clientOf(answers: (() => Response)[], retries = 2) {
  const asked: { method: string; key: string | null }[] = [];
  const fetch = async (_url: unknown, init: RequestInit = {}) => {
    asked.push({ method: init.method!, key: new Headers(init.headers).get('Idempotency-Key') });
    return answers[Math.min(asked.length, answers.length) - 1]!();
  };
  const client = new PhoneboothClient({
    baseUrl: 'http://phones.test/v1',
    key: 'k',
    fetch: fetch as typeof globalThis.fetch,
    retries,
  });
  return { client, asked };
}

const lost = () => {
  throw new TypeError('connection reset');
};
const done = () => answer(200, 0);

/** Returns the outcome of a promise; fake timers skip the delays. */
async function outcome(promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.then(
    () => 'done',
    (error: { kind?: string }) => error.kind ?? error,
  );
  await vi.runAllTimersAsync();
  return settled;
}

test('retries a read without a response up to the limit', async () => {
  const recovering = clientOf([lost, () => answer(503, 50300), done]);
  expect(await outcome(recovering.client.getUsage())).toBe('done');
  expect(recovering.asked).toHaveLength(3);
  const failing = clientOf([lost]);
  expect(await outcome(failing.client.getUsage())).toBe('unreachable');
  expect(failing.asked).toHaveLength(3);
});

test('retries a read while a proxy cannot reach the service, but not after an internal error', async () => {
  const proxied = clientOf([() => new Response('Bad Gateway', { status: 502 }), done]);
  expect(await outcome(proxied.client.getUsage())).toBe('done');
  const failing = clientOf([() => answer(500, 50000), done]);
  expect(await outcome(failing.client.getUsage())).toBe('internal');
});

test('repeats a connect with the same idempotency key, so that only one phone is borrowed', async () => {
  const { client, asked } = clientOf([lost, done]);
  expect(await outcome(client.connect('d1'))).toBe('done');
  expect(asked[0]!.key).toMatch(/^[0-9a-f]{32}$/);
  expect(asked[1]).toEqual(asked[0]);
});

test('does not retry a request that is not idempotent', async () => {
  const { client, asked } = clientOf([lost]);
  expect(await outcome(client.extend('s1', 5))).toBe('unreachable');
  expect(asked).toHaveLength(1);
});

test('does not retry after a permanent error', async () => {
  const { client, asked } = clientOf([() => answer(409, 40010)]);
  expect(await outcome(client.connect('d1'))).toBe('deviceUnavailable');
  expect(asked).toHaveLength(1);
});

test('honors the Retry-After header of a 429 unless the delay is too long', async () => {
  const { client, asked } = clientOf([() => answer(429, 40029, { 'Retry-After': '7' }), done]);
  const began = Date.now();
  expect(await outcome(client.getUsage())).toBe('done');
  expect(Date.now() - began).toBeGreaterThanOrEqual(7_000);
  expect(asked).toHaveLength(2);
  const limited = clientOf([() => answer(429, 40029, { 'Retry-After': '600' })]);
  expect(await outcome(limited.client.getUsage())).toBe('rateLimited');
  expect(limited.asked).toHaveLength(1);
});

test('an abort signal ends the wait between attempts', async () => {
  const { client, asked } = clientOf([() => answer(429, 40029, { 'Retry-After': '20' })]);
  const enough = new AbortController();
  const reason = new Error('enough');
  const settled = outcome(client.getUsage(enough.signal));
  setTimeout(() => enough.abort(reason), 1_000);
  expect(await settled).toBe(reason);
  expect(asked).toHaveLength(1);
});

test('does not retry by default', async () => {
  const { client, asked } = clientOf([lost], 0);
  expect(await outcome(client.getUsage())).toBe('unreachable');
  expect(asked).toHaveLength(1);
});
