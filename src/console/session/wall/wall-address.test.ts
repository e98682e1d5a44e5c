import { expect, test } from 'vitest';
import { chosenOf, wallAddress } from './wall-address.ts';

test('the address of a wall names its phones', () => {
  const address = wallAddress(['s-1', 's&2']);
  expect(address).toBe('/wall?s=s-1&s=s%262');
  expect(chosenOf(address.slice('/wall?'.length))).toEqual(['s-1', 's&2']);
});

test('an address that names none means all', () => {
  expect(wallAddress([])).toBe('/wall');
  expect(chosenOf('')).toEqual([]);
});
