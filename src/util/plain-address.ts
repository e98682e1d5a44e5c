/**
 * Returns an IPv4-mapped IPv6 address, as a dual-stack socket reports it, as a plain IPv4 address. Other addresses
 * are unchanged.
 */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
