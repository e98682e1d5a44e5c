import { describe, expect, test } from 'vitest';
import { CLOSE, closeFor } from '../contract/close-codes.ts';
import { END_REASONS } from '../contract/session.ts';
import { afterClose, Backoff } from './reconnect.ts';

describe('afterClose', () => {
  test.each(END_REASONS)('the code of end reason %s ends it', (reason) => {
    expect(afterClose(closeFor(reason, null).code)).toBe('session-ended');
  });

  test.each([1006, 1001, CLOSE.internal, CLOSE.restart, CLOSE.tooSlow])('%i asks for another try', (code) => {
    expect(afterClose(code)).toBe('reconnect');
  });

  test('another client that took over is not fought', () => {
    expect(afterClose(CLOSE.takenOver)).toBe('taken-over');
  });
});

describe('Backoff', () => {
  test('doubles up to five seconds', () => {
    const backoff = new Backoff(() => 1);
    const delays = Array.from({ length: 8 }, () => backoff.next(0));
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
  });

  test('is spread over the upper half of each delay', () => {
    expect(new Backoff(() => 0).next(0)).toBe(125);
    expect(new Backoff(() => 0.5).next(0)).toBe(187.5);
  });

  test('begins anew after a connection that lasted, not after one that opened and fell at once', () => {
    const backoff = new Backoff(() => 1);
    backoff.next(0);
    backoff.next(0);
    expect(backoff.next(4_999)).toBe(1000);
    expect(backoff.next(5_000)).toBe(250);
  });
});
