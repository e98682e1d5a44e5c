import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientAddress, sharedAddress } from './client-address.ts';

test.each([
  ['from an untrusted address', '192.0.2.1', '198.51.100.7', '192.0.2.1'],
  ['from a trusted proxy', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['through two trusted proxies', '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['from a client that spoofs an address', '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['from a trusted proxy without a forwarded address', '10.0.0.1', undefined, '10.0.0.1'],
  ['on a dual-stack socket', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
])('finds the client address of a request %s', (_, peer, forwarded, address) => {
  const request = { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } };
  expect(clientAddress(['10.0.0.0/8'])(request as unknown as IncomingMessage)).toBe(address);
});

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['10.1.2.3', true],
  ['192.0.2.1', false],
  ['2001:db8::1', false],
])('decides whether %s is shared: %s', (address, is) => {
  expect(sharedAddress(['10.0.0.0/8'])(address)).toBe(is);
});
