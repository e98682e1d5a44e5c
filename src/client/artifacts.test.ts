import { expect, test } from 'vitest';
import type { Session } from '../contract/http/session.ts';
import { waitForRecording } from './artifacts.ts';
import { PhoneboothClient } from './phonebooth-client.ts';
import { ServiceError } from './service-error.ts';

const unreachable = new ServiceError('unreachable', 0, 0);
const inState = (status: string | null) =>
  ({ session_id: 'ses_1', recording: status && { status, detail: null } }) as Session;

/** Returns a function that returns these states in turn, the last one again and again. */
function reads(...states: (Session | ServiceError)[]) {
  let count = 0;
  return async () => {
    const state = states[Math.min(count, states.length - 1)]!;
    count += 1;
    if (state instanceof ServiceError) throw state;
    return state;
  };
}

test('waits until a recording is complete, also after lost responses', async () => {
  const read = reads(inState('processing'), unreachable, inState('complete'));
  expect((await waitForRecording(read, {})).recording?.status).toBe('complete');
});

test('stops waiting when the recording has failed', async () => {
  expect((await waitForRecording(reads(inState('failed')), {})).recording?.status).toBe('failed');
});

test.each([
  ['the session has not ended', inState('recording')],
  ['its upload has not finished', inState('processing')],
  ['the service did not respond', unreachable],
])('stops waiting at the deadline when %s', async (state, seen) => {
  await expect(waitForRecording(reads(seen), { timeoutMs: 20 })).rejects.toThrow(
    `timed out after 0.02 s: the recording is not complete, because ${state}`,
  );
});

test('stops waiting when a response takes longer than the deadline', async () => {
  const read = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  await expect(waitForRecording(read, { timeoutMs: 20 })).rejects.toThrow('timed out after 0.02 s');
});

test('fails at once for a session that is not recorded, and for a session that does not exist', async () => {
  await expect(waitForRecording(reads(inState(null)), {})).rejects.toThrow('ses_1 is not recorded');
  const missing = new ServiceError('no such session', 40006, 404);
  await expect(waitForRecording(reads(missing), {})).rejects.toBe(missing);
});

test('throws the reason of the signal', async () => {
  const stop = new AbortController();
  const waiting = waitForRecording(reads(inState('processing')), { signal: stop.signal });
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

/** A client of a service that has one artifact and supports range requests, unless `ignoresRange`. */
function clientOf(content: string, { ignoresRange = false } = {}) {
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    if (url !== 'http://phones.test/v1/sessions/ses%2F1/artifacts/art_1')
      return new Response(null, { status: 500 });
    const [, start] = /^bytes=(\d+)-$/.exec(new Headers(init.headers).get('Range') ?? '') ?? [];
    const isPart = start !== undefined && !ignoresRange;
    const body = isPart ? content.slice(Number(start)) : content;
    const headers = { 'Content-Length': String(body.length) };
    return new Response(body, { status: isPart ? 206 : 200, headers });
  };
  return new PhoneboothClient({
    baseUrl: 'http://phones.test/v1',
    key: 'k',
    fetch: fetch as typeof globalThis.fetch,
  });
}

test('downloads an artifact, or the rest of it', async () => {
  const client = clientOf('0123456789');
  for (const [options, text] of [
    [{}, '0123456789'],
    [{ start: 4 }, '456789'],
  ] as const) {
    const { size, bytes } = await client.downloadArtifact('ses/1', 'art_1', options);
    expect(size).toBe(text.length);
    expect(await new Response(bytes).text()).toBe(text);
  }
});

test('does not append the whole artifact when a server ignores the range', async () => {
  const client = clientOf('0123456789', { ignoresRange: true });
  await expect(client.downloadArtifact('ses/1', 'art_1', { start: 4 })).rejects.toThrow(
    'download it from the start',
  );
});
