import { BlockList, isIP } from 'node:net';

/**
 * Ranges that are not part of the public Internet, or that map to addresses which may not be.
 * https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const NOT_PUBLIC_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  // Azure's host agent, which provides secrets to every machine there, has an address that looks public.
  '168.63.129.16/32',
];
/**
 * Only 2000::/3 of IPv6 is allocated. These ranges within it are excluded; some are tunnels, whose other end may be
 * anywhere.
 */
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const blocked = new BlockList();
for (const [ranges, family] of [
  [NOT_PUBLIC_V4, 'ipv4'],
  [NOT_PUBLIC_V6, 'ipv6'],
] as const) {
  for (const range of ranges) {
    const [network, bits] = range.split('/');
    blocked.addSubnet(network!, Number(bits), family);
  }
}
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

/**
 * Whether an address is on the public Internet: not an address of this machine, its network or its cloud's internal
 * services, not a multicast group, and not in a range reserved for other uses. Text that is not an address is not
 * public.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, 'ipv4');
    case 6:
      // The IPv4 rules also apply to an IPv4-mapped address: BlockList checks the embedded address.
      if (mapped.check(address, 'ipv6')) return !blocked.check(address, 'ipv6');
      return !address.includes('%') && global.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
    default:
      return false;
  }
}
