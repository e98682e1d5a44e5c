/**
 * A screen that was drawn less than this time before a touch is in motion, so the next frame may be unrelated to
 * the touch. Milliseconds.
 */
const STILL_MS = 200;
/** A frame that is drawn later than this after a touch has another cause. Milliseconds. */
const LONGEST_MS = 1_000;
/**
 * If a release follows its press sooner than this, the next frame cannot be assigned to one of them. Milliseconds.
 */
const SHORTEST_PRESS_MS = 100;
/** Number of samples kept. */
const KEPT = 64;

export interface TouchLatencyReading {
  /** Milliseconds, or null before the first sample. */
  last: number | null;
  median: number | null;
  samples: number;
}

/**
 * Measures the time from sending a touch to the first frame drawn after it, in milliseconds. This is the latency
 * that the user feels, except for the delay of the display. Only touches on a still screen count, because a moving
 * screen would have drawn its next frame anyway. All times are milliseconds of one monotonic clock.
 */
export class TouchLatency {
  readonly #samples: number[] = [];
  #drawnAt = Number.NEGATIVE_INFINITY;
  #touchedAt: number | null = null;
  #inDoubt = false;

  /** Moves are not counted, because they arrive faster than frames. */
  touched(action: 'down' | 'up', now: number): void {
    if (now - this.#drawnAt < STILL_MS) return;
    const since = this.#touchedAt === null ? null : now - this.#touchedAt;
    this.#inDoubt = action === 'up' && since !== null && since < SHORTEST_PRESS_MS;
    this.#touchedAt = now;
  }

  drawn(now: number): void {
    this.#drawnAt = now;
    const took = this.#touchedAt === null || this.#inDoubt ? null : now - this.#touchedAt;
    this.#touchedAt = null;
    if (took === null || took > LONGEST_MS) return;
    this.#samples.push(took);
    if (this.#samples.length > KEPT) this.#samples.shift();
  }

  read(): TouchLatencyReading {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    return {
      last: this.#samples.at(-1) ?? null,
      median: sorted[Math.floor(sorted.length / 2)] ?? null,
      samples: sorted.length,
    };
  }
}
