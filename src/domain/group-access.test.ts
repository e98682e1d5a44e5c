import { expect, test } from 'vitest';
import { accessOf, type GroupRule } from './group-access.ts';

const RULES: GroupRule[] = [
  { group: 'phone-admins', account: 'ops', role: 'admin' },
  { group: 'qa', account: 'qa', role: 'user' },
];

test('takes account and role from the first matching rule', () => {
  expect(accessOf(RULES, ['qa', 'phone-admins'])).toEqual(RULES[0]);
  expect(accessOf(RULES, ['staff', 'qa'])).toEqual(RULES[1]);
});

test('grants no access to a user in no group of a rule', () => {
  expect(accessOf(RULES, ['staff'])).toBeNull();
  expect(accessOf(RULES, [])).toBeNull();
  // A group with this name at the identity provider is not treated as the wildcard.
  expect(accessOf(RULES, ['*'])).toBeNull();
});

test('applies a wildcard rule to users that no earlier rule matches', () => {
  const rules: GroupRule[] = [...RULES, { group: '*', account: 'guests', role: 'viewer' }];
  expect(accessOf(rules, [])).toEqual(rules[2]);
  expect(accessOf(rules, ['qa'])).toEqual(RULES[1]);
});
