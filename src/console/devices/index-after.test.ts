import { expect, test } from 'vitest';
import { indexAfter } from './index-after.ts';

const GRID = { count: 8, columns: 3 };

test.each([
  ['ArrowRight', 0, 1],
  ['ArrowLeft', 4, 3],
  ['ArrowDown', 1, 4],
  ['ArrowUp', 7, 4],
  ['Home', 5, 0],
  ['End', 0, 7],
])('%s moves the focus from %d to %d', (key, from, to) => {
  expect(indexAfter(key, from, GRID)).toBe(to);
});

test.each([
  ['ArrowLeft', 0],
  ['ArrowUp', 2],
  ['ArrowRight', 7],
  ['ArrowDown', 5],
  ['Enter', 3],
])('%s does not move the focus from %d', (key, from) => {
  expect(indexAfter(key, from, GRID)).toBeNull();
});
