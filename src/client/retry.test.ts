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

test('a read is asked again when no answer came, so often and no oftener', async () => {
  const lucky = clientOf([lost, () => answer(503, 50300), done]);
  expect(await outcome(lucky.client.getUsage())).toBe('done');
  expect(lucky.asked).toHaveLength(3);
  const unlucky = clientOf([lost]);
  expect(await outcome(unlucky.client.getUsage())).toBe('unreachable');
  expect(unlucky.asked).toHaveLength(3);
});

test('a connect is repeated with the key of the first, so that one phone is lent', async () => {
  const { client, asked } = clientOf([lost, done]);
  expect(await outcome(client.connect('d1'))).toBe('done');
  expect(asked[0]!.key).toMatch(/^[0-9a-f]{32}$/);
  expect(asked[1]).toEqual(asked[0]);
});

test('what would be done twice is asked once', async () => {
  const { client, asked } = clientOf([lost]);
  expect(await outcome(client.extend('s1', 5))).toBe('unreachable');
  expect(asked).toHaveLength(1);
});

test('an answer that another attempt would not change is the last', async () => {
  const { client, asked } = clientOf([() => answer(409, 40010)]);
  expect(await outcome(client.connect('d1'))).toBe('deviceUnavailable');
  expect(asked).toHaveLength(1);
});

test('too many requests: it waits as long as it is told, unless that is too long', async () => {
  const { client, asked } = clientOf([() => answer(429, 40029, { 'Retry-After': '7' }), done]);
  const began = Date.now();
  expect(await outcome(client.getUsage())).toBe('done');
  expect(Date.now() - began).toBeGreaterThanOrEqual(7_000);
  expect(asked).toHaveLength(2);
  const patient = clientOf([() => answer(429, 40029, { 'Retry-After': '600' })]);
  expect(await outcome(patient.client.getUsage())).toBe('rateLimited');
  expect(patient.asked).toHaveLength(1);
});

test('a signal ends the waiting between attempts', async () => {
  const { client, asked } = clientOf([() => answer(429, 40029, { 'Retry-After': '20' })]);
  const enough = new AbortController();
  const reason = new Error('enough');
  const settled = outcome(client.getUsage(enough.signal));
  setTimeout(() => enough.abort(reason), 1_000);
  expect(await settled).toBe(reason);
  expect(asked).toHaveLength(1);
});

test('without being asked to, nothing is repeated', async () => {
  const { client, asked } = clientOf([lost], 0);
  expect(await outcome(client.getUsage())).toBe('unreachable');
  expect(asked).toHaveLength(1);
});
