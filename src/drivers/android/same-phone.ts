/** What is known of one line of the adb server's list, as far as it tells whether two lines are one phone. */
export interface Listing {
  /** The name by which adb lists it. */
  serial: string;
  /** The boot identifier that the phone answered with; null or empty: unknown now. */
  bootId: string | null;
  /** The lowest is preferred among listings of the same phone. */
  rank: number;
}

/**
 * Groups listings that have one phone identifier by the phone that they reach, the preferred listing of each first. A
 * phone over USB and over the network is one phone. Two phones share an identifier where a maker gives all of them the
 * same serial number: adb lists one phone once for each serial, and two phones never have the same boot identifier.
 */
export function groupByPhone<L extends Listing>(listings: readonly L[]): L[][] {
  const groups: L[][] = [];
  for (const listing of listings.toSorted((a, b) => a.rank - b.rank)) {
    const group = groups.find((members) => members.every((member) => isSamePhone(member, listing)));
    if (group) group.push(listing);
    else groups.push([listing]);
  }
  return groups;
}

function isSamePhone(a: Listing, b: Listing): boolean {
  if (a.serial === b.serial) return false;
  return !a.bootId || !b.bootId || a.bootId === b.bootId;
}

/** `192.168.1.7:5555`, or a service that adb found by mDNS: `adb-SERIAL-abc123._adb-tls-connect._tcp`. */
export function isNetworkSerial(serial: string): boolean {
  return /:\d+$/.test(serial) || /\._adb(?:-tls-connect)?\._tcp\.?$/.test(serial);
}
