import { expect, test } from 'vitest';
import { formatBytes } from './format-bytes.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [9_949, '9.9 kB'],
  [9_950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [120_400_000, '120 MB'],
  [2_000_000_000, '2.0 GB'],
])('formats %i bytes as %s', (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});
