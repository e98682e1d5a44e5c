/**
 * Limits how often the same event is logged, for events that a peer can cause at any rate. At most one line per key
 * and interval is written; the next line contains the number of those that were suppressed.
 */
export class LogThrottle {
  private readonly intervalMs: number;
  private readonly maxKeys: number;
  private readonly now: () => number;
  /** Ordered by the time when each key was last logged, oldest first. */
  private readonly keys = new Map<string, { passedAt: number; suppressed: number }>();

  constructor({
    intervalMs = 60_000,
    maxKeys = 1_000,
    now = () => performance.now(),
  }: { intervalMs?: number; maxKeys?: number; now?: () => number } = {}) {
    this.intervalMs = intervalMs;
    this.maxKeys = maxKeys;
    this.now = now;
  }

  /**
   * Calls `log` with the number of suppressed lines since the last one, unless the key was already logged within the
   * interval.
   */
  log(key: string, log: (suppressed: number) => void): void {
    const now = this.now();
    const known = this.keys.get(key);
    if (known && now - known.passedAt < this.intervalMs) {
      known.suppressed += 1;
      return;
    }
    this.keys.delete(key);
    if (this.keys.size >= this.maxKeys) this.keys.delete(this.keys.keys().next().value!);
    this.keys.set(key, { passedAt: now, suppressed: 0 });
    log(known?.suppressed ?? 0);
  }
}
