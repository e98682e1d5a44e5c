import { expect, test } from 'vitest';
import { chosenOf, wallAddress } from './wall-address.ts';

test('names the phones of a wall', () => {
  const address = wallAddress(['s-1', 's&2']);
  expect(address).toBe('/wall?s=s-1&s=s%262');
  expect(chosenOf(address.slice('/wall?'.length))).toEqual(['s-1', 's&2']);
});

test('means all phones if it names none', () => {
  expect(wallAddress([])).toBe('/wall');
  expect(chosenOf('')).toEqual([]);
});
