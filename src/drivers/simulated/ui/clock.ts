/** Time as a phone sees it; a test brings its own. */
export interface Clock {
  /** Monotonic, in ms. */
  now(): number;
  /** The time of day. */
  date(): Date;
  /** Calls back once, after `ms`. The returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}

/** The system's time, until it is stopped: then nothing that waits for it is called any more. */
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
