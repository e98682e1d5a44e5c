import type { FastifyRequest } from 'fastify';
import { plainAddress } from '../util/plain-address.ts';

/** Where a request comes from. Behind a proxy it is the proxy's: its headers are not believed. */
export function addressOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return plainAddress(ip);
}
