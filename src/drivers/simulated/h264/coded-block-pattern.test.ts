import { expect, test } from 'vitest';
import { INTER_CODED_BLOCK_PATTERN } from './inter-macroblock.ts';

test('assigns a unique codeNum to every pattern', () => {
  const codeNumbers = [...INTER_CODED_BLOCK_PATTERN].sort((a, b) => a - b);
  expect(codeNumbers).toEqual(Array.from({ length: 48 }, (_, i) => i));
});

test('follows Table 9-4', () => {
  expect([0, 16, 32, 15, 47, 41].map((pattern) => INTER_CODED_BLOCK_PATTERN[pattern])).toEqual([
    0, 1, 6, 11, 12, 47,
  ]);
});
