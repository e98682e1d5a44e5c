const WINDOW_MS = 60_000;
/** Addresses that are noted in one window. */
const MAX_ADDRESSES = 60;

/**
 * Which requests without a valid key get an entry in the audit trail: one of an address in a minute, and sixty in all,
 * so that whoever tries keys cannot fill the disk with it.
 */
export class FailedKeys {
  private readonly addresses = new Set<string>();
  private since = Number.NEGATIVE_INFINITY;

  isNoted(address: string, now: number = performance.now()): boolean {
    if (now - this.since >= WINDOW_MS) {
      this.since = now;
      this.addresses.clear();
    }
    if (this.addresses.has(address) || this.addresses.size >= MAX_ADDRESSES) return false;
    this.addresses.add(address);
    return true;
  }
}
