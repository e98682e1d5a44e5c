import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Azure's host agent, which provides secrets to every machine there, has an address that looks public. */
const AZURE_HOST_AGENT = '168.63.129.16';

/** Only 2000::/3 of IPv6 is allocated. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Ranges within it that are reserved, or tunnels whose other end may be anywhere, and that ipaddr.js counts as unicast.
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const RESERVED_V6 = ['2001::/23', '2620:4f:8000::/48', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);
/** https://www.iana.org/assignments/iana-ipv4-special-registry */
const RESERVED_V4 = ['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.175.48.0/24'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
);

/**
 * Whether an address is on the public Internet: not an address of this machine, its network or its cloud's internal
 * services, not a multicast group, and not in a range reserved for other uses. Text that is not an address is not
 * public.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also accepts notations such as 0x7f000001.
  if (isIP(address) === 0 || address.includes('%')) return false;
  // An IPv4-mapped IPv6 address becomes the IPv4 address.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4)
    return parsed.toString() !== AZURE_HOST_AGENT && !RESERVED_V4.some((range) => parsed.match(range));
  return parsed.match(GLOBAL_V6) && !RESERVED_V6.some((range) => parsed.match(range));
}
