import { expect, test } from 'vitest';
import { firstDuration, parseMinutes } from './duration.ts';

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

test('accepts minutes up to the longest possible duration', () => {
  expect(parseMinutes('480', 480)).toBe(480);
  expect(parseMinutes('481', 480)).toBeNull();
});

test.each([
  [480, 30],
  [20, 15],
  [3, 3],
  [0, 1],
])('with at most %i minutes, offers %i first', (most, expected) => {
  expect(firstDuration(30, most)).toBe(expected);
});
