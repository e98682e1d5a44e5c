import { expect, test } from 'vitest';
import { CoefficientCounts } from './coefficient-counts.ts';

test('computes nC as the rounded mean of the available neighbours', () => {
  const counts = new CoefficientCounts(3, 2);
  counts.set(0, 0, 5);
  counts.set(1, 0, 8);
  counts.set(0, 1, 3);
  expect(counts.context(0, 0)).toBe(0);
  expect(counts.context(1, 0)).toBe(5);
  expect(counts.context(0, 1)).toBe(5);
  expect(counts.context(1, 1)).toBe(6);
  counts.reset();
  expect(counts.context(1, 1)).toBe(0);
});
