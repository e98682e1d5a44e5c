/** The fields of a line of the adb server's list that decide whether two lines are the same phone. */
export interface Listing {
  /** The serial under which adb lists the phone. */
  serial: string;
  /** The boot identifier that the phone returned; null or empty: currently unknown. */
  bootId: string | null;
  /** Among listings of the same phone, the one with the lowest rank is preferred. */
  rank: number;
}

/**
 * Groups listings with the same phone identifier by the physical phone behind them, the preferred listing of each
 * phone first. A phone that is connected over USB and over the network is one phone. Two phones share an identifier
 * if their maker gives all phones the same serial number. They are distinguished in two ways: adb lists one phone
 * only once for each serial, and two phones never have the same boot identifier.
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

/**
 * A network serial is `192.168.1.7:5555`, or a service that adb found by mDNS:
 * `adb-SERIAL-abc123._adb-tls-connect._tcp`.
 */
export function isNetworkSerial(serial: string): boolean {
  return /:\d+$/.test(serial) || /\._adb(?:-tls-connect)?\._tcp\.?$/.test(serial);
}
