import { expect, test } from 'vitest';
import { levelFor } from './level.ts';

test.each([
  [1, 1, 10],
  [11, 9, 11],
  [34, 74, 31],
  [90, 200, 50],
  [2, 120, 31],
])('a frame of %i x %i macroblocks has level_idc %i', (width, height, idc) => {
  expect(levelFor(width, height)?.idc).toBe(idc);
});

test('rejects a frame above the largest size', () => {
  expect(levelFor(192, 192)?.idc).toBe(52);
  expect(levelFor(193, 192)).toBeUndefined();
});
