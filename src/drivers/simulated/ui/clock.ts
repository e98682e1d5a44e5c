/** Time as a phone sees it; a test brings its own. */
export interface Clock {
  /** Monotonic, in ms. */
  now(): number;
  /** The time of day. */
  date(): Date;
  /** Calls back once, after `ms`. The returned function takes it back. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
