import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { plainAddress } from '../util/plain-address.ts';

const HEADER = 'x-phonebooth-on-behalf-of';
/** Known to this process alone, and not kept: from anybody else the header means nothing. */
const SECRET = randomBytes(32).toString('base64url');

/** What this process sends with requests to itself, for somebody at that address. */
export const onBehalfOf = (address: string): Record<string, string> => ({ [HEADER]: `${SECRET} ${address}` });

/**
 * Where a request comes from. Behind a proxy that the operator trusts it is what that says; behind another it is the
 * proxy's own, whose headers are not believed, only those of this very process.
 */
export function addressOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const [secret, address] = String(headers[HEADER] ?? '').split(' ');
  if (secret === SECRET && address) return address;
  return plainAddress(ip);
}
