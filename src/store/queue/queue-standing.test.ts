import { expect, test } from 'vitest';
import { standingOf } from './queue-standing.ts';

const waiting = ['a', 'b', 'c', 'a'].map((accountId, at) => ({ sessionId: `s${at}`, accountId }));

test('counts all waiting requests for the same phones if there are no groups', () => {
  const matching = [{ groupId: null, reason: 'in_use' as const, count: 3 }];
  const standing = { matching, waiting, groups: new Map() };
  expect(standingOf(standing, 'b')).toEqual({
    ...{ matching: 3, reason: 'in_use', waiting: ['s0', 's1', 's2', 's3'] },
  });
});

test('omits phones that are not visible to the account, and requests that wait only for those', () => {
  const groups = new Map([
    ['a', new Set(['g1'])],
    ['b', new Set(['g1', 'g2'])],
    ['c', new Set(['g2'])],
  ]);
  const matching = [
    { groupId: 'g1', reason: 'offline' as const, count: 2 },
    { groupId: 'g2', reason: 'in_use' as const, count: 5 },
  ];
  const standing = { matching, waiting, groups };
  expect(standingOf(standing, 'a')).toEqual({
    ...{ matching: 2, reason: 'offline', waiting: ['s0', 's1', 's3'] },
  });
  expect(standingOf(standing, 'b')).toEqual({
    ...{ matching: 7, reason: 'in_use', waiting: ['s0', 's1', 's2', 's3'] },
  });
  expect(standingOf(standing, 'c')).toEqual({ matching: 5, reason: 'in_use', waiting: ['s1', 's2'] });
  expect(standingOf(standing, 'd')).toEqual({ matching: 0, reason: 'offline', waiting: [] });
});

test('counts all waiting requests for a phone that is visible to every account', () => {
  const matching = [
    { groupId: null, reason: 'cleaning' as const, count: 1 },
    { groupId: 'g2', reason: 'in_use' as const, count: 5 },
  ];
  const standing = { matching, waiting, groups: new Map([['c', new Set(['g2'])]]) };
  expect(standingOf(standing, 'a')).toEqual({
    ...{ matching: 1, reason: 'cleaning', waiting: ['s0', 's1', 's2', 's3'] },
  });
});
