import ipaddr from 'ipaddr.js';

/**
 * Returns the network that a single client may control entirely: an IPv4 address, or the first 64 bits of an IPv6
 * address, which is the smallest block that is assigned to a site (RFC 6177, section 2). Text that is not an IPv6
 * address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
