import { expect, test } from 'vitest';
import { END_REASONS } from '../http/session.ts';
import { closeFor } from './close-codes.ts';

const bytes = (text: string) => new TextEncoder().encode(text).length;

test('states why the session ended', () => {
  expect(closeFor('admin', 'its key was revoked')).toEqual({
    code: 4003,
    reason: 'the session was terminated: its key was revoked',
  });
  expect(closeFor('expired', null)).toEqual({ code: 4001, reason: 'the session reached its time limit' });
});

test.each(END_REASONS)(
  'fits the close reason of %s into a close frame, however long the detail',
  (reason) => {
    expect(bytes(closeFor(reason, null).reason)).toBeLessThanOrEqual(123);
    for (const detail of ['x'.repeat(500), '☎'.repeat(500), '📱'.repeat(500)]) {
      for (const shift of ['', 'a', 'ab', 'abc']) {
        const { reason: words } = closeFor(reason, shift + detail);
        expect(bytes(words)).toBeLessThanOrEqual(123);
        expect(bytes(words)).toBeGreaterThan(123 - 4);
        expect(words).toMatch(/…$/);
        expect(words.isWellFormed()).toBe(true);
      }
    }
  },
);
