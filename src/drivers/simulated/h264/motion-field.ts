/** Marks a macroblock that is intra or unavailable: its reference index is not 0. */
const NO_MOTION = -32768;

/**
 * The vertical motion vector of every macroblock of the picture, in quarter luma samples. The horizontal component is
 * always 0, and so is its prediction.
 */
export class MotionField {
  readonly #width: number;
  readonly #vectors: Int16Array;

  constructor(widthInMacroblocks: number, heightInMacroblocks: number) {
    this.#width = widthInMacroblocks;
    this.#vectors = new Int16Array(widthInMacroblocks * heightInMacroblocks);
  }

  set(mbX: number, mbY: number, vector: number): void {
    this.#vectors[mbY * this.#width + mbX] = vector;
  }

  setIntra(mbX: number, mbY: number): void {
    this.set(mbX, mbY, NO_MOTION);
  }

  /** mvpLX of a 16x16 partition: the median of its neighbours (clause 8.4.1.3). */
  predict(mbX: number, mbY: number): number {
    const left = this.#at(mbX - 1, mbY);
    if (mbY === 0) return left === NO_MOTION ? 0 : left;
    const above = this.#at(mbX, mbY - 1);
    // Where the row ends, the macroblock above and to the left replaces the one above and to the right (clause
    // 8.4.1.3.2).
    const corner = mbX + 1 < this.#width ? this.#at(mbX + 1, mbY - 1) : this.#at(mbX - 1, mbY - 1);
    const a = left === NO_MOTION ? 0 : left;
    const b = above === NO_MOTION ? 0 : above;
    const c = corner === NO_MOTION ? 0 : corner;
    const moving = Number(left !== NO_MOTION) + Number(above !== NO_MOTION) + Number(corner !== NO_MOTION);
    // If exactly one neighbour refers to the same picture, its vector is the prediction; the others count as 0.
    if (moving === 1) return a + b + c;
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  /** The vector of P_Skip (clause 8.4.1.1). */
  predictSkip(mbX: number, mbY: number): number {
    if (mbX === 0 || mbY === 0) return 0;
    if (this.#at(mbX - 1, mbY) === 0 || this.#at(mbX, mbY - 1) === 0) return 0;
    return this.predict(mbX, mbY);
  }

  #at(mbX: number, mbY: number): number {
    return mbX < 0 ? NO_MOTION : this.#vectors[mbY * this.#width + mbX]!;
  }
}
