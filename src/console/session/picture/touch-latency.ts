/** A screen that was drawn later than this before a touch is in motion: what is drawn next may have nothing to do with it. */
const STILL_MS = 200;
/** What comes later than this after a touch has another cause. */
const LONGEST_MS = 1_000;
/** A release that follows its press sooner than this leaves open which of them is answered. */
const SHORTEST_PRESS_MS = 100;
/** Samples kept. */
const KEPT = 64;

export interface TouchLatencyReading {
  /** Milliseconds; null before the first sample. */
  last: number | null;
  median: number | null;
  samples: number;
}

/**
 * From a touch that is sent to the first picture drawn after it, in milliseconds: what a finger feels, but for the
 * display's own delay. Only touches of a screen that stood still are counted, as on another the next picture would have
 * come anyway. All times are milliseconds on one clock that never goes back.
 */
export class TouchLatency {
  readonly #samples: number[] = [];
  #drawnAt = Number.NEGATIVE_INFINITY;
  #touchedAt: number | null = null;
  #inDoubt = false;

  /** Moves are not counted: they come faster than pictures. */
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
