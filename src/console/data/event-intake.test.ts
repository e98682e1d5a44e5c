import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';
import { EventIntake } from './event-intake.ts';

const phone = (id: string, status: Device['status'] = 'available') =>
  ({ id, status, name: `Phone ${id}` }) as Device;
const session = (id: string, fields: Partial<Session> = {}) =>
  ({ session_id: id, status: 'connected', created_at: `2026-01-01T00:00:0${id}Z`, ...fields }) as Session;

const ALL = ['devices', 'page', { status: '' }, 1];
const FREE = ['devices', 'page', { status: 'available' }, 1];
const ONE = ['devices', 'one', 'a'];

let cache: QueryClient;
let intake: EventIntake;
const isStale = (queryKey: unknown[]) => cache.getQueryState(queryKey)?.isInvalidated;
const statusesOf = (queryKey: unknown[]) =>
  cache.getQueryData<{ items: Device[] }>(queryKey)?.items.map(({ status }) => status);

beforeEach(() => {
  vi.useFakeTimers();
  cache = new QueryClient();
  intake = new EventIntake(cache);
  cache.setQueryData(ALL, { total: 2, items: [phone('a'), phone('b')] });
  cache.setQueryData(ONE, phone('a'));
});
afterEach(() => {
  intake.close();
  cache.clear();
  vi.useRealTimers();
});

test('updates a changed phone in every list and in its own query without refetching', async () => {
  intake.take({ event: 'device.changed', data: phone('a', 'busy') });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(statusesOf(ALL)).toEqual(['busy', 'available']);
  expect(cache.getQueryData<Device>(ONE)?.status).toBe('busy');
  expect(isStale(ALL)).toBe(false);
});

test('refetches a list filtered by status when a phone changes, because its membership may have changed', async () => {
  cache.setQueryData(FREE, { total: 1, items: [phone('a')] });
  intake.take({ event: 'device.changed', data: phone('b') });
  await vi.advanceTimersByTimeAsync(200);
  expect(isStale(FREE)).toBe(true);
});

test.each([
  ['a new phone', { event: 'device.changed', data: phone('new') }],
  ['a removed phone', { event: 'device.removed', data: { id: 'b' } }],
] as const)('refetches lists after %s', async (_, event) => {
  intake.take(event);
  await vi.advanceTimersByTimeAsync(200);
  expect(isStale(ALL)).toBe(true);
});

test('refetches at most once in three seconds during a burst of events', async () => {
  const invalidate = vi.spyOn(cache, 'invalidateQueries');
  for (let n = 0; n < 60; n += 1) {
    intake.take({ event: 'device.changed', data: phone(`new ${n}`) });
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(invalidate.mock.calls.length).toBeGreaterThan(1);
  expect(invalidate.mock.calls.length).toBeLessThanOrEqual(3);
});

test('refetches everything after a reset', () => {
  cache.setQueryData(['usage'], {});
  intake.take({ event: 'reset', data: {} });
  expect([isStale(ALL), isStale(ONE), isStale(['usage'])]).toEqual([true, true, true]);
});

test('refetches a query whose first fetch was in flight, because its answer may predate the event', async () => {
  const answers: ((phones: Device[]) => void)[] = [];
  const queryFn = async () => {
    const { promise, resolve } = Promise.withResolvers<Device[]>();
    answers.push(resolve);
    return { items: await promise };
  };
  const leave = new QueryObserver(cache, { queryKey: FREE, queryFn }).subscribe(() => {});
  intake.readAllAgain();
  await vi.advanceTimersByTimeAsync(10);
  expect(answers).toHaveLength(1);
  answers[0]?.([phone('a')]);
  await vi.advanceTimersByTimeAsync(10);
  answers[1]?.([phone('a', 'busy')]);
  await vi.advanceTimersByTimeAsync(10);
  expect(statusesOf(FREE)).toEqual(['busy']);
  expect(answers).toHaveLength(2);
  leave();
});

test('adds, updates and removes own sessions', async () => {
  const live = () => cache.getQueryData<Session[]>(['sessions', 'live'])?.map(({ session_id }) => session_id);
  cache.setQueryData(['sessions', 'live'], [session('1')]);
  intake.take({ event: 'session.changed', data: session('2') });
  expect(live()).toEqual(['2', '1']);
  intake.take({ event: 'session.changed', data: session('1', { status: 'disconnected' }) });
  expect(live()).toEqual(['2']);
  await vi.advanceTimersByTimeAsync(10);
  expect(cache.getQueryData<Session>(['sessions', 'one', '1'])?.status).toBe('disconnected');
});
