/** The time source of a phone. Tests supply their own. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** The wall clock time. */
  date(): Date;
  /** Calls back once, after `ms` milliseconds. The returned function cancels the call. */
  after(ms: number, callback: () => void): () => void;
}

/** The system clock. After it is stopped, none of its pending callbacks is called. */
export class StoppableClock implements Clock {
  readonly #waiting = new Set<NodeJS.Timeout>();
  #stopped = false;

  now(): number {
    return performance.now();
  }

  date(): Date {
    return new Date();
  }

  after(ms: number, callback: () => void): () => void {
    if (this.#stopped) return () => {};
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      callback();
    }, ms);
    this.#waiting.add(timer);
    return () => {
      clearTimeout(timer);
      this.#waiting.delete(timer);
    };
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
  }
}
