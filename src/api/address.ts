import type { FastifyRequest } from 'fastify';

/** Where a request comes from, an IPv4 address as such. Behind a proxy it is the proxy's: its headers are not believed. */
export function addressOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return ip.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
