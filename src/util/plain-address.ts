/** Where a connection comes from, an IPv4 address as such where a socket of both families took it in. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
