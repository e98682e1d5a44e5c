import { expect, test } from 'vitest';
import { actualSize, fitWithin } from './use-fit.ts';

test('keeps the aspect ratio and fills the available space', () => {
  expect(fitWithin({ width: 1080, height: 2400 }, { width: 900, height: 800 })).toEqual({
    width: 360,
    height: 800,
  });
  expect(fitWithin({ width: 2400, height: 1080 }, { width: 600, height: 800 })).toEqual({
    width: 600,
    height: 270,
  });
});

test('never enlarges a small screen beyond its own size', () => {
  expect(fitWithin({ width: 320, height: 640 }, { width: 900, height: 900 })).toEqual({
    width: 320,
    height: 640,
  });
});

test('returns size zero, not a negative size, if there is no space', () => {
  expect(fitWithin({ width: 320, height: 640 }, { width: -20, height: 900 })).toEqual({
    width: 0,
    height: 0,
  });
});

test('maps each pixel of the phone to one display pixel at actual size', () => {
  expect(actualSize({ width: 1080, height: 2400 }, 2)).toEqual({ width: 540, height: 1200 });
  expect(actualSize({ width: 540, height: 1171 }, 1.5)).toEqual({ width: 360, height: 1171 / 1.5 });
});
