import { describe, expect, test } from 'vitest';
import { addressOf, filtersFrom, isFiltered, matchesName, NO_FILTERS } from './device-filters.ts';

describe('device filters in the address', () => {
  test('round-trip', () => {
    const filters = {
      brand: 'google',
      os: '15',
      status: 'available' as const,
      name: 'pixel 9',
      starred: true,
    };
    const address = addressOf(filters);
    expect(address).toBe('/devices?q=pixel+9&brand=google&os_version=15&status=available&starred=1');
    expect(filtersFrom(address.split('?')[1]!)).toEqual(filters);
  });

  test('are omitted when they are empty', () => {
    expect(addressOf(NO_FILTERS)).toBe('/devices');
    expect(filtersFrom('')).toEqual(NO_FILTERS);
  });

  test.each(['starred=yes', 'status=broken', 'else=1'])('ignores the invalid value %s', (query) => {
    expect(filtersFrom(query)).toEqual(NO_FILTERS);
  });

  test('reports whether any filter is active', () => {
    expect(isFiltered(NO_FILTERS)).toBe(false);
    expect(isFiltered({ ...NO_FILTERS, starred: true })).toBe(true);
    expect(isFiltered({ ...NO_FILTERS, os: '14' })).toBe(true);
  });
});

describe('matchesName', () => {
  const device = { name: 'Lab shelf 3', brand: 'google', model: 'GKWS6' };

  test.each(['shelf', 'SHELF LAB', 'gkws', 'google 3'])('matches %s', (typed) => {
    expect(matchesName(device, typed)).toBe(true);
  });

  test.each(['shelf 4', 'samsung'])('does not match %s', (typed) => {
    expect(matchesName(device, typed)).toBe(false);
  });
});
