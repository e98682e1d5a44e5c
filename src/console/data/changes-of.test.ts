import { expect, test } from 'vitest';
import { changesOf } from './changes-of.ts';

test('returns only the values that differ', () => {
  const before = { id: 'acc_1', name: 'checkout', quota: null as number | null, members: ['a', 'b'] };
  expect(changesOf({ name: 'checkout', quota: null, members: ['a', 'b'] }, before)).toEqual({});
  expect(changesOf({ name: 'Checkout', quota: 5, members: ['a'] }, before)).toEqual({
    name: 'Checkout',
    quota: 5,
    members: ['a'],
  });
  expect(changesOf({ name: 'checkout', quota: null }, { ...before, quota: 5 })).toEqual({ quota: null });
});
