import { describe, expect, test } from 'vitest';
import { END_REASONS } from '../contract/http/session.ts';
import { CLOSE, closeFor } from '../contract/sockets/close-codes.ts';
import { afterClose, Backoff } from './reconnect.ts';

describe('afterClose', () => {
  test.each(END_REASONS)('stops on the close code of end reason %s', (reason) => {
    expect(afterClose(closeFor(reason, null).code)).toBe('session-ended');
  });

  test.each([1006, 1001, CLOSE.internal, CLOSE.restart, CLOSE.tooSlow])(
    'retries on close code %i',
    (code) => {
      expect(afterClose(code)).toBe('reconnect');
    },
  );

  test('does not retry after a takeover by another client', () => {
    expect(afterClose(CLOSE.takenOver)).toBe('taken-over');
  });
});

describe('Backoff', () => {
  test('doubles the delay up to five seconds', () => {
    const backoff = new Backoff(() => 1);
    const delays = Array.from({ length: 8 }, () => backoff.next(0));
    expect(delays).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
  });

  test('spreads each delay over its upper half', () => {
    expect(new Backoff(() => 0).next(0)).toBe(125);
    expect(new Backoff(() => 0.5).next(0)).toBe(187.5);
  });

  test('resets after a connection that lasted, but not after one that closed immediately', () => {
    const backoff = new Backoff(() => 1);
    backoff.next(0);
    backoff.next(0);
    expect(backoff.next(4_999)).toBe(1000);
    expect(backoff.next(5_000)).toBe(250);
  });
});
