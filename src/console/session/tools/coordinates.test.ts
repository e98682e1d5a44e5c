import { expect, test } from 'vitest';
import { parseCoordinate, parseCoordinates } from './coordinates.ts';

test.each([
  ['52.52', 90, 52.52],
  [' -90 ', 90, -90],
  ['90.1', 90, null],
  ['180', 180, 180],
  ['', 90, null],
  ['1e1', 90, null],
  ['north', 90, null],
])('reads the coordinate %j of at most %d as %d', (text, most, value) => {
  expect(parseCoordinate(text, most)).toBe(value);
});

test('splits coordinates that were copied from a map', () => {
  expect(parseCoordinates('52.52, -13.405')).toEqual(['52.52', '-13.405']);
  expect(parseCoordinates('52.52')).toBeNull();
  expect(parseCoordinates('a, b')).toBeNull();
});
