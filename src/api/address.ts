import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { plainAddress } from '../util/plain-address.ts';

const HEADER = 'x-phonebooth-on-behalf-of';
/** Known only to this process and never stored. The header has no effect when any other client sends it. */
const SECRET = randomBytes(32).toString('base64url');

/** Header for a request that this process sends to itself on behalf of a client at that address. */
export const forwardedFor = (address: string): Record<string, string> => ({
  [HEADER]: `${SECRET} ${address}`,
});

/** A valid `Host` header: a name or an address, with or without a port. */
export const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i;

/**
 * Returns the client address of a request. The header of `forwardedFor` takes precedence, but only if this process sent
 * it. Behind a trusted proxy the address comes from `X-Forwarded-For`. Behind any other proxy it is the address of
 * that proxy.
 */
export function addressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const [secret, address] = String(headers[HEADER] ?? '').split(' ');
  if (secret === SECRET && address) return address;
  return plainAddress(ip);
}
