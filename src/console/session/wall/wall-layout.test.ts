import { expect, test } from 'vitest';
import { cardSize, parseWallLayout, WALL_SIZES } from './wall-layout.ts';

test('restores what was stored, and replaces what is not valid', () => {
  expect(parseWallLayout('{"size":400,"fit":true}')).toEqual({ size: 400, fit: true });
  for (const stored of [null, '{', '7', '{"size":"x","fit":"yes"}'])
    expect(parseWallLayout(stored)).toEqual({ size: WALL_SIZES.usual, fit: false });
  expect(parseWallLayout('{"size":9000}').size).toBe(WALL_SIZES.most);
});

test('fits a phone to the height of the window, unless that is too low', () => {
  expect(cardSize({ size: 400, fit: true }, 800).height).toBe(800);
  expect(cardSize({ size: 400, fit: true }, 100).height).toBe(WALL_SIZES.least);
  expect(cardSize({ size: 400, fit: false }, 800).height).toBe(400);
});
