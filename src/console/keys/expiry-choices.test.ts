import { expect, test } from 'vitest';
import { expiryChoices } from './expiry-choices.ts';

test.each([
  [null, ['7', '30', '90', '365', '']],
  [1, ['1']],
  [45, ['7', '30', '45']],
  [90, ['7', '30', '90']],
  [365, ['7', '30', '90', '365']],
  [3650, ['7', '30', '90', '365']],
])('with a limit of %s days, the choices are %j', (maxDays, days) => {
  expect(expiryChoices(maxDays).map(([choice]) => choice)).toEqual(days);
});

test('names the limit in days', () => {
  expect(expiryChoices(1)).toEqual([['1', '1 day']]);
  expect(expiryChoices(45).at(-1)).toEqual(['45', '45 days']);
});
