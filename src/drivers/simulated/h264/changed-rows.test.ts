import { expect, test } from 'vitest';
import { changedRows, macroblockEquals } from './changed-rows.ts';

test('finds the first and the last row that differ', () => {
  const before = new Int32Array(10 * 8);
  expect(changedRows(before, before.slice(), 10)).toBeNull();
  const after = before.slice();
  after[29] = 1;
  expect(changedRows(before, after, 10)).toEqual({ first: 2, last: 2 });
  after[70] = 1;
  expect(changedRows(before, after, 10)).toEqual({ first: 2, last: 7 });
});

test('compares only the part of a macroblock inside the image', () => {
  const [width, height] = [20, 40];
  const before = Int32Array.from({ length: width * height }, (_, i) => Math.floor(i / width));
  const after = before.map((row) => row + 3);
  expect(macroblockEquals(before, after, width, height, 1, 0, 3)).toBe(true);
  expect(macroblockEquals(before, after, width, height, 1, 0, 2)).toBe(false);
  expect(macroblockEquals(before, after, width, height, 1, 2, 3)).toBe(false);
  expect(macroblockEquals(before, before, width, height, 1, 2, 0)).toBe(true);
  expect(macroblockEquals(before, before, width, height, 0, 0, -1)).toBe(false);
});
