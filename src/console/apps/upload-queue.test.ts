import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { UploadProgress } from '../../client/send-file.ts';
import type { App } from '../../contract/http/app.ts';
import { MAX_UPLOADS, UploadQueue } from './upload-queue.ts';

interface Sending {
  name: string;
  signal: AbortSignal;
  onProgress(progress: UploadProgress): void;
  finish(app: App): void;
  fail(error: Error): void;
}

let sending: Sending[];
let uploaded: App[];
let queue: UploadQueue;

const file = (name: string) => new File([new Uint8Array(100)], name);
const app = (name: string) => ({ name }) as App;
const states = () => queue.list().map(({ name, state }) => `${name} ${state}`);

beforeEach(() => {
  sending = [];
  uploaded = [];
  queue = new UploadQueue(
    (blob, { onProgress, signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<App>();
      signal.addEventListener('abort', () => reject(signal.reason));
      sending.push({ name: (blob as File).name, signal, onProgress, finish: resolve, fail: reject });
      return promise;
    },
    (done) => uploaded.push(done),
  );
});

describe('UploadQueue', () => {
  test('uploads one file at a time, reports progress and removes finished uploads', async () => {
    queue.add([file('a'), file('b')]);
    expect(states()).toEqual(['a sending', 'b waiting']);
    sending[0]!.onProgress({ sent: 40, total: 100 });
    expect(queue.list()[0]).toMatchObject({ sent: 40, size: 100, state: 'sending' });
    sending[0]!.onProgress({ sent: 100, total: 100 });
    expect(states()).toEqual(['a reading', 'b waiting']);
    sending[0]!.finish(app('A'));
    await vi.waitFor(() => expect(states()).toEqual(['b sending']), { timeout: 60_000 });
    expect(uploaded).toEqual([{ name: 'A' }]);
    expect(sending.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('keeps a failed upload with its error until it is dismissed, and continues with the next', async () => {
    queue.add([file('a'), file('b')]);
    const refusal = new Error('upload rejected');
    sending[0]!.fail(refusal);
    await vi.waitFor(() => expect(states()).toEqual(['a failed', 'b sending']), { timeout: 60_000 });
    expect(queue.list()[0]?.error).toBe(refusal);
    queue.remove(queue.list()[0]!.id);
    expect(states()).toEqual(['b sending']);
  });

  test('aborts a canceled upload without reporting an error', async () => {
    queue.add([file('a'), file('b')]);
    queue.remove(queue.list()[0]!.id);
    expect(sending[0]!.signal.aborted).toBe(true);
    expect(states()).toEqual(['b sending']);
    queue.removeAll();
    expect(sending[1]!.signal.aborted).toBe(true);
    expect(states()).toEqual([]);
    await Promise.resolve();
    expect(uploaded).toEqual([]);
  });

  test('accepts files only up to its capacity', () => {
    const many = Array.from({ length: MAX_UPLOADS + 1 }, (_, at) => file(String(at)));
    expect(queue.add(many)).toBe(false);
    expect(queue.list()).toHaveLength(MAX_UPLOADS);
    expect(queue.add([file('more')])).toBe(false);
  });
});
