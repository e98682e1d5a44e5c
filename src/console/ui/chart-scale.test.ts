import { expect, test } from 'vitest';
import { barPaths, scaleOf } from './chart-scale.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [30, [0, 10, 20, 30]],
  [69, [0, 20, 40, 60, 80]],
  [2_880, [0, 1_000, 2_000, 3_000]],
])('the lines of a chart up to %d are at round whole numbers', (highest, ticks) => {
  expect(scaleOf(highest)).toEqual({ top: ticks.at(-1), ticks });
});

test('stacks the series of each bar from the bottom, and omits values of zero', () => {
  expect(
    barPaths(
      [
        [1, 1],
        [0, 2],
        [0, 0],
      ],
      4,
    ),
  ).toEqual(['M0.14 0.75h0.72v0.25h-0.72z', 'M0.14 0.5h0.72v0.25h-0.72zM1.14 0.5h0.72v0.5h-0.72z']);
  expect(barPaths([], 1)).toEqual([]);
});
