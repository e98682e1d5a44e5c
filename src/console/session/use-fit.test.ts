import { expect, test } from 'vitest';
import { actualSize, fitWithin } from './use-fit.ts';

test('keeps the proportions and uses all the room there is', () => {
  expect(fitWithin({ width: 1080, height: 2400 }, { width: 900, height: 800 })).toEqual({
    width: 360,
    height: 800,
  });
  expect(fitWithin({ width: 2400, height: 1080 }, { width: 600, height: 800 })).toEqual({
    width: 600,
    height: 270,
  });
});

test('never blurs a small screen by making it larger than it is', () => {
  expect(fitWithin({ width: 320, height: 640 }, { width: 900, height: 900 })).toEqual({
    width: 320,
    height: 640,
  });
});

test('no room is no size, not a negative one', () => {
  expect(fitWithin({ width: 320, height: 640 }, { width: -20, height: 900 })).toEqual({
    width: 0,
    height: 0,
  });
});

test('the actual size has one pixel of the display for each of the phone', () => {
  expect(actualSize({ width: 1080, height: 2400 }, 2)).toEqual({ width: 540, height: 1200 });
  expect(actualSize({ width: 540, height: 1171 }, 1.5)).toEqual({ width: 360, height: 1171 / 1.5 });
});
