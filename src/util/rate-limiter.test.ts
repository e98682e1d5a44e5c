import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

function limiter(maxSubjects?: number) {
  const clock = { now: 0 };
  const rate = { perSecond: 2, burst: 3 };
  const limits = new RateLimiter({ rate, now: () => clock.now, ...(maxSubjects && { maxSubjects }) });
  const through = (subject: string, tries: number) =>
    Array.from({ length: tries }, () => limits.take(subject)).filter(({ isLetThrough }) => isLetThrough)
      .length;
  return { clock, limits, through };
}

test('each subject has its own rate, and knows how it stands', () => {
  const { clock, limits, through } = limiter();
  expect([through('a', 5), through('b', 5)]).toEqual([3, 3]);
  expect(limits.look('a')).toEqual({ isLetThrough: false, left: 0, fullInS: 1.5, nextInS: 0.5 });
  expect(limits.look('new')).toEqual({ isLetThrough: true, left: 3, fullInS: 0, nextInS: 0 });
  clock.now = 500;
  expect([through('a', 5), through('a', 5)]).toEqual([1, 0]);
});

test('the one that was not seen for longest is forgotten', () => {
  const { limits, through } = limiter(2);
  expect([through('a', 5), through('b', 5), through('a', 1), through('c', 1)]).toEqual([3, 3, 0, 1]);
  expect([limits.look('a').left, limits.look('b').left]).toEqual([0, 3]);
});

test('what was let through is told once, a bounded number of subjects at a time; refusals are not', () => {
  const { limits, through } = limiter();
  through('a', 5);
  through('b', 2);
  expect([limits.drain(1), limits.drain(5), limits.drain(5)]).toEqual([[['a', 3]], [['b', 2]], []]);
});

test('what was let through elsewhere counts here, and is not told again', () => {
  const { clock, limits, through } = limiter();
  limits.spend('a', 5);
  expect([through('a', 1), limits.drain(5)]).toEqual([0, []]);
  clock.now = 1_500;
  expect(through('a', 5)).toBe(1);
});
