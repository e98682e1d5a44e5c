import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StreamGate } from './stream-gate.ts';

let sent: string[];

beforeEach(() => {
  sent = [];
  vi.useFakeTimers();
  vi.stubGlobal('fetch', async (input: string) => {
    sent.push(input);
    return new Response();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('holds requests until the stream is open, which then needs no second fetch', async () => {
  const gate = new StreamGate();
  const requests = [gate.fetch('/v1/usage'), gate.fetch('/v1/events')];
  await vi.advanceTimersByTimeAsync(999);
  expect(sent).toEqual(['/v1/events']);
  expect(gate.open()).toBe(false);
  await Promise.all(requests);
  expect(sent).toEqual(['/v1/events', '/v1/usage']);
  await gate.fetch('/v1/devices');
  expect(gate.open()).toBe(true);
});

test('sends them after a second without a stream, and then says that they may be out of date', async () => {
  const gate = new StreamGate();
  const request = gate.fetch('/v1/usage');
  await vi.advanceTimersByTimeAsync(1_000);
  await request;
  expect(sent).toEqual(['/v1/usage']);
  expect(gate.open()).toBe(true);
});
