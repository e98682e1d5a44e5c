import { expect, test } from 'vitest';
import { Rate } from './rate.ts';

test('averages the last two seconds', () => {
  const rate = new Rate();
  for (let now = 10_000; now < 12_000; now += 20) rate.add(1, now);
  expect(rate.perSecond(11_999)).toBe(50);
  expect(rate.perSecond(12_999)).toBe(25);
  expect(rate.perSecond(14_500)).toBe(0);
});

test('discards old values and continues', () => {
  const rate = new Rate();
  rate.add(100, 0);
  expect(rate.perSecond(3_600_000)).toBe(0);
  rate.add(6, 3_600_000);
  expect(rate.perSecond(3_600_100)).toBe(3);
});
