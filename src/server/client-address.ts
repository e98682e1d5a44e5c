import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { plainAddress } from '../util/plain-address.ts';

/**
 * Returns a function that determines the client address of a request: the remote address of the connection, or the
 * forwarded address if a trusted proxy sent the request. It gives the same result as Fastify's `request.ip`, for
 * requests that do not pass through Fastify.
 */
export function clientAddress(trustedProxies: string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile(trustedProxies);
  // A connection that was closed in the meantime has no address.
  return (request) => plainAddress(proxyAddr(request, isTrusted) ?? '');
}

/**
 * Returns a function that tells whether many clients may share an address: that of a trusted proxy, or a loopback
 * address.
 */
export function sharedAddress(trustedProxies: string[]): (address: string) => boolean {
  const isShared = proxyAddr.compile(['loopback', ...trustedProxies]);
  return (address) => isShared(address, 0);
}
