import { isIPv6 } from 'node:net';

/**
 * Returns the network that a single client may control entirely: an IPv4 address, or the first 64 bits of an IPv6
 * address, which is the smallest block that is assigned to a site (RFC 6177, section 2).
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = (part = '') => part.split(':').filter((group) => group !== '');
  const [before, after] = [groups(head), groups(tail)];
  // A trailing IPv4 address replaces two groups.
  const width = before.length + after.length + (address.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? [] : Array<string>(8 - width).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
