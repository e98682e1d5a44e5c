import { expect, test } from 'vitest';
import { limitFrom } from './limit.ts';

test.each([
  ['', null],
  ['  ', null],
  ['0', 0],
  ['1,200', 1200],
  [' 1 000 ', 1000],
  ['-1', undefined],
  ['1.5', undefined],
  ['many', undefined],
  ['1000000000', 1_000_000_000],
  ['1000000001', undefined],
])('“%s”', (typed, expected) => {
  expect(limitFrom(typed)).toBe(expected);
});
