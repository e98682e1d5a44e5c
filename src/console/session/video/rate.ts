const SPAN_MS = 2_000;
const SLOTS = 8;
const SLOT_MS = SPAN_MS / SLOTS;

/**
 * Rate per second over the last two seconds. It counts in slots of an eighth of that span, so that its memory is
 * constant.
 */
export class Rate {
  readonly #sums = new Float64Array(SLOTS);
  #slot = 0;

  /** `now`: milliseconds of a monotonic clock. */
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
    // Clears all slots older than the span, however long ago the last call was.
    for (let next = Math.max(this.#slot + 1, slot - SLOTS + 1); next <= slot; next += 1) {
      this.#sums[next % SLOTS] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
  }
}
