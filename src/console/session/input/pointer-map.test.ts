import { describe, expect, test } from 'vitest';
import { notchesOf, opposite, pointOn } from './pointer-map.ts';

describe('pointOn', () => {
  const box = { left: 100, top: 50, width: 200, height: 400 };

  test('returns a fraction from the top left corner', () => {
    expect(pointOn(box, 100, 50)).toEqual({ x: 0, y: 0 });
    expect(pointOn(box, 150, 350)).toEqual({ x: 0.25, y: 0.75 });
    expect(pointOn(box, 300, 450)).toEqual({ x: 1, y: 1 });
  });

  test('clamps positions outside to the edge', () => {
    expect(pointOn(box, 0, 9999)).toEqual({ x: 0, y: 1 });
  });

  test('returns the corner for an empty box', () => {
    expect(pointOn({ left: 0, top: 0, width: 0, height: 0 }, 5, 5)).toEqual({ x: 0, y: 0 });
  });
});

test('mirrors the second finger of a pinch', () => {
  expect(opposite({ x: 0.25, y: 1 })).toEqual({ x: 0.75, y: 0 });
});

describe('notchesOf', () => {
  test('inverts the browser’s direction and converts its three units', () => {
    expect(notchesOf({ deltaX: 50, deltaY: 200, deltaMode: 0 })).toEqual({ dx: 0.5, dy: -2 });
    expect(notchesOf({ deltaX: 0, deltaY: -3, deltaMode: 1 })).toEqual({ dx: 0, dy: 1 });
    expect(notchesOf({ deltaX: 0, deltaY: 1, deltaMode: 2 })).toEqual({ dx: 0, dy: -1 });
  });

  test('never exceeds the range that the phone accepts', () => {
    expect(notchesOf({ deltaX: -99999, deltaY: -99999, deltaMode: 0 })).toEqual({ dx: -16, dy: 16 });
  });
});
