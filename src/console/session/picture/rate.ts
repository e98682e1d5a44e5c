const SPAN_MS = 2_000;
const SLOTS = 8;
const SLOT_MS = SPAN_MS / SLOTS;

/** How much of something there is a second, over the last two: counted in eighths of that, so that it stays small. */
export class Rate {
  readonly #sums = new Float64Array(SLOTS);
  #slot = 0;

  /** `now`: milliseconds on a clock that never goes back. */
  add(amount: number, now: number): void {
    this.#advance(now);
    this.#sums[this.#slot % SLOTS]! += amount;
  }

  perSecond(now: number): number {
    this.#advance(now);
    return this.#sums.reduce((sum, part) => sum + part, 0) / (SPAN_MS / 1000);
  }

  #advance(now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    // Whatever is older than the span is forgotten, however long ago it was.
    for (let next = Math.max(this.#slot + 1, slot - SLOTS + 1); next <= slot; next += 1) {
      this.#sums[next % SLOTS] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
  }
}
