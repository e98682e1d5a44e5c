import { expect, test } from 'vitest';
import { parseMinutes } from './duration.ts';

test.each([
  ['45', 45],
  [' 1 ', 1],
  ['', null],
  ['0', null],
  ['-5', null],
  ['1.5', null],
  ['ten', null],
])('parseMinutes(%j) returns %j', (typed, expected) => {
  expect(parseMinutes(typed)).toBe(expected);
});
