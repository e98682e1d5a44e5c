import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

function limiter(maxSubjects?: number) {
  const clock = { now: 0 };
  const rate = { perSecond: 2, burst: 3 };
  const limits = new RateLimiter({ rate, now: () => clock.now, ...(maxSubjects && { maxSubjects }) });
  const through = (subject: string, tries: number) =>
    Array.from({ length: tries }, () => limits.take(subject)).filter(({ isAdmitted }) => isAdmitted).length;
  return { clock, limits, through };
}

test('limits each subject separately and reports its remaining capacity', () => {
  const { clock, limits, through } = limiter();
  expect([through('a', 5), through('b', 5)]).toEqual([3, 3]);
  expect(limits.peek('a')).toEqual({ isAdmitted: false, left: 0, fullInS: 1.5, nextInS: 0.5 });
  expect(limits.peek('new')).toEqual({ isAdmitted: true, left: 3, fullInS: 0, nextInS: 0 });
  clock.now = 500;
  expect([through('a', 5), through('a', 5)]).toEqual([1, 0]);
});

test('evicts the least recently used subject', () => {
  const { limits, through } = limiter(2);
  expect([through('a', 5), through('b', 5), through('a', 1), through('c', 1)]).toEqual([3, 3, 0, 1]);
  expect([limits.peek('a').left, limits.peek('b').left]).toEqual([0, 3]);
});

test('reports admitted requests once, for a bounded number of subjects at a time, but not rejections', () => {
  const { limits, through } = limiter();
  through('a', 5);
  through('b', 2);
  expect([limits.drain(1), limits.drain(5), limits.drain(5)]).toEqual([[['a', 3]], [['b', 2]], []]);
});

test('counts requests admitted by other processes without reporting them again', () => {
  const { clock, limits, through } = limiter();
  limits.spend('a', 5);
  expect([through('a', 1), limits.drain(5)]).toEqual([0, []]);
  clock.now = 1_500;
  expect(through('a', 5)).toBe(1);
});
