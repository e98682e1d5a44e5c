import { expect, test } from 'vitest';
import { accountAddress, adminAddress, adminPlaceOf } from './admin-address.ts';

test.each([
  ['/admin', { section: 'devices' }],
  ['/admin/', { section: 'devices' }],
  ['/admin/audit', { section: 'audit' }],
  ['/admin/users', { section: 'users' }],
  ['/admin/users/u1', null],
  ['/admin/accounts/a%2F1', { section: 'accounts', accountId: 'a/1' }],
  ['/admin/accounts/a1/keys', null],
  ['/admin/accounts/%E0%A4%A', null],
  ['/admin/devices/d1', null],
  ['/admin/nowhere', null],
])('%s', (path, expected) => {
  expect(adminPlaceOf(path)).toEqual(expected);
});

test('encodes filters and identifiers in addresses', () => {
  expect(adminAddress('audit')).toBe('/admin/audit');
  expect(adminAddress('devices', { host: 'a&b' })).toBe('/admin/devices?host=a%26b');
  expect(adminPlaceOf(accountAddress('a/1'))).toEqual({ section: 'accounts', accountId: 'a/1' });
});
