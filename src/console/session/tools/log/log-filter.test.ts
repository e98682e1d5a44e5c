import { expect, test } from 'vitest';
import { filterLog } from './log-filter.ts';

const lines = [
  ['V', 'Input', 'key HOME'],
  ['W', 'Browser', 'opening https://example.com'],
  ['E', 'Input', 'lost'],
  ['S', 'odd', 'of an unknown level'],
].map(([level = '', tag = '', message = ''], number) => ({ time: '', level, tag, message, number }));
const numbers = (filter: Parameters<typeof filterLog>[1]) =>
  filterLog(lines, filter).map(({ number }) => number);

test('returns the same array without a filter', () => {
  expect(filterLog(lines, { text: ' ', level: 'V' })).toBe(lines);
});

test('filters by level and never hides an unknown level', () => {
  expect(numbers({ text: '', level: 'W' })).toEqual([1, 2, 3]);
});

test('filters by tag, by message and by both', () => {
  expect(numbers({ text: 'input', level: 'V' })).toEqual([0, 2]);
  expect(numbers({ text: 'HTTPS', level: 'V' })).toEqual([1]);
  expect(numbers({ text: 'input: lo', level: 'V' })).toEqual([2]);
});
