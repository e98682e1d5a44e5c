/** A moment: the store's time, and how long this process had been listening by then, in milliseconds. */
interface Sample {
  at: number;
  listenedMs: number;
}

/**
 * Measures for how long this process was able to receive reports, so that hosts are not considered lost because this
 * process, or its machine, stood still. Such times are not counted, however short and numerous they are.
 */
export class ListeningTime {
  private readonly maxStepMs: number;
  private readonly steady: () => number;
  private samples: Sample[] = [];
  private lastSteady = 0;

  /**
   * @param maxStepMs the longest interval between two samples of a process that runs; more than this is not counted
   */
  constructor(maxStepMs: number, steady: () => number = () => performance.now()) {
    this.maxStepMs = maxStepMs;
    this.steady = steady;
  }

  /** Begins again. Called when reports cannot be received. */
  reset(): void {
    this.samples = [];
  }

  /**
   * Takes a sample, and returns the time in which this process listened for `ms` until now, or null if it has not
   * listened for that long. The result is a whole number, and at least `ms`.
   *
   * @param at the store's time. Its clock and the steady one are compared, because a machine that sleeps stops the one
   *   and moves the other.
   */
  spanOf(ms: number, at: number): number | null {
    const steady = this.steady();
    const last = this.samples.at(-1);
    const steps = last ? [at - last.at, steady - this.lastSteady] : [0];
    this.lastSteady = steady;
    // After a long one, connections may have broken and have to be opened again
    if (Math.max(...steps) > this.maxStepMs + ms / 2) {
      this.reset();
      steps.fill(0);
    }
    const before = this.samples.at(-1)?.listenedMs ?? 0;
    const listenedMs = before + Math.min(this.maxStepMs, Math.max(0, Math.min(...steps)));
    this.samples.push({ at, listenedMs });
    while (this.samples.length > 1 && listenedMs - this.samples[1]!.listenedMs >= ms) this.samples.shift();
    const first = this.samples[0]!;
    const surplusMs = listenedMs - first.listenedMs - ms;
    return surplusMs >= 0 ? Math.ceil(at - first.at - surplusMs) : null;
  }
}
