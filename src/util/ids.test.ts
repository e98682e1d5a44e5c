import { expect, test, vi } from 'vitest';
import { randomText, timeOrderedId } from './ids.ts';

test('random texts of many blocks differ', () => {
  const texts = Array.from({ length: 5_000 }, () => randomText(12));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.every((text) => /^[\w-]{16}$/.test(text))).toBe(true);
});

test('identifiers of later times sort after those of earlier times, byte by byte', () => {
  vi.useFakeTimers();
  try {
    const ids = [0, 35, 36, 1_795_000_000_000, 1_795_000_000_001, 36 ** 8 - 1, 36 ** 8].map((time) => {
      vi.setSystemTime(time);
      return timeOrderedId('ses_');
    });
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.every((id) => /^ses_[\w-]{25}$/.test(id))).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
