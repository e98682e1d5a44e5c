import { expect, test } from 'vitest';
import { addressOf, forwardedFor } from './address.ts';

test('converts an IPv4-mapped address to IPv4', () => {
  expect(addressOf({ ip: '::ffff:192.0.2.7', headers: {} })).toBe('192.0.2.7');
  expect(addressOf({ ip: '2001:db8::7', headers: {} })).toBe('2001:db8::7');
});

test('trusts the forwarded address only in requests from this process', () => {
  const headers = forwardedFor('192.0.2.7');
  expect(addressOf({ ip: '127.0.0.1', headers })).toBe('192.0.2.7');
  const [name] = Object.keys(headers);
  for (const made of ['192.0.2.7', 'guess 192.0.2.7', ' 192.0.2.7', '']) {
    expect(addressOf({ ip: '127.0.0.1', headers: { [name!]: made } })).toBe('127.0.0.1');
  }
});
