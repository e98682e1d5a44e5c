import { expect, test } from 'vitest';
import { growthPercent } from './heap-growth.ts';

const MEBIBYTE = 1024 * 1024;

test('lets memory grow by 64 MiB, or by the size of a larger heap', () => {
  expect(growthPercent(32 * MEBIBYTE)).toBe(200);
  expect(growthPercent(64 * MEBIBYTE)).toBe(100);
  expect(growthPercent(500 * MEBIBYTE)).toBe(100);
});

test('limits the growth of a small heap to four times its size', () => {
  expect(growthPercent(5 * MEBIBYTE)).toBe(300);
});
