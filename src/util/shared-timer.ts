/** The longest delay that Node's timers accept. They fire after 1 ms if it is longer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Calls `onDue` with each item when its time has come. All items share one timer, because a separate timer costs each
 * item several times the memory of an entry here: the timer, its callback, and a list for its duration.
 */
export class SharedTimer<Item extends object> {
  private readonly onDue: (item: Item) => void;
  /** When each item is due, on the monotonic clock. */
  private readonly dueAt = new Map<Item, number>();
  private timer: NodeJS.Timeout | undefined;
  private firesAt = Number.POSITIVE_INFINITY;

  constructor(onDue: (item: Item) => void) {
    this.onDue = onDue;
  }

  /** Replaces the time of an item that has one already. */
  set(item: Item, delayMs: number): void {
    const dueAt = performance.now() + delayMs;
    this.dueAt.set(item, dueAt);
    if (dueAt < this.firesAt) this.armAt(dueAt);
  }

  delete(item: Item): void {
    this.dueAt.delete(item);
    if (this.dueAt.size === 0) this.clear();
  }

  clear(): void {
    this.dueAt.clear();
    clearTimeout(this.timer);
    this.firesAt = Number.POSITIVE_INFINITY;
  }

  private armAt(time: number): void {
    clearTimeout(this.timer);
    this.firesAt = time;
    const delayMs = Math.max(0, time - performance.now());
    this.timer = setTimeout(() => this.fire(), Math.min(delayMs, MAX_DELAY_MS));
  }

  private fire(): void {
    const now = performance.now();
    this.firesAt = Number.POSITIVE_INFINITY;
    const due: Item[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [item, dueAt] of this.dueAt) {
      if (dueAt <= now) due.push(item);
      else next = Math.min(next, dueAt);
    }
    if (next < Number.POSITIVE_INFINITY) this.armAt(next);
    for (const item of due) {
      // The call for another item may have deleted this one, or given it another time.
      const dueAt = this.dueAt.get(item);
      if (dueAt === undefined || dueAt > now) continue;
      this.dueAt.delete(item);
      this.onDue(item);
    }
  }
}
