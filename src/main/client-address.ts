import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import { plainAddress } from '../util/plain-address.ts';

/**
 * Where whoever sent a request is: at the other end of its connection, or where a proxy that the operator trusts says. As
 * Fastify has it for the requests of the API, for those that never reach it.
 */
export function clientAddress(trustedProxies: string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile(trustedProxies);
  // A connection that was closed meanwhile has no address.
  return (request) => plainAddress(proxyAddr(request, isTrusted) ?? '');
}

/** Whether many clients may share an address: it is a trusted proxy's, or this machine's own. */
export function sharedAddress(trustedProxies: string[]): (address: string) => boolean {
  const isShared = proxyAddr.compile(['loopback', ...trustedProxies]);
  return (address) => isShared(address, 0);
}
