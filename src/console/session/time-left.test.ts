import { describe, expect, test } from 'vitest';
import { formatLength, formatTimeLeft, urgency } from './time-left.ts';

test.each([
  [3_725_000, '1:02:05'],
  [724_000, '12:04'],
  [9_000, '0:09'],
  [8_001, '0:09'],
  [1, '0:01'],
  [0, '0:00'],
  [-5_000, '0:00'],
])('formatTimeLeft(%i) returns %s', (milliseconds, expected) => {
  expect(formatTimeLeft(milliseconds)).toBe(expected);
});

test.each([
  [45_000, '45 s'],
  [720_000, '12 min'],
  [3_600_000, '1 h'],
  [3_900_000, '1 h 5 min'],
  [-1, '0 s'],
])('formatLength(%i) returns %s', (milliseconds, expected) => {
  expect(formatLength(milliseconds)).toBe(expected);
});

describe('urgency', () => {
  test('changes at five minutes, one minute and ten seconds', () => {
    expect([300_001, 300_000, 60_001, 60_000, 10_001, 10_000, 0].map(urgency)).toEqual([
      'calm',
      'close',
      'close',
      'urgent',
      'urgent',
      'final',
      'final',
    ]);
  });
});
