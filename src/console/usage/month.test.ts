import { expect, test } from 'vitest';
import { isMonth, monthAfter, monthName } from './month.ts';

test.each([
  ['2026-11', 1, '2026-12'],
  ['2026-12', 1, '2027-01'],
  ['2026-01', -1, '2025-12'],
  ['2026-03', -12, '2025-03'],
])('moves %s by %d to %s', (month, by, expected) => {
  expect(monthAfter(month, by)).toBe(expected);
});

test('formats the name of a month', () => {
  expect(monthName('2026-11')).toBe('November 2026');
});

test.each([
  ['2026-11', true],
  ['2026-13', false],
  ['2026-1', false],
  ['', false],
])('decides whether %s is a month: %s', (text, expected) => {
  expect(isMonth(text)).toBe(expected);
});
