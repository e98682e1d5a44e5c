/** TotalCoeff of every 4x4 block of one component of the picture, from which CAVLC derives its contexts. */
export class CoefficientCounts {
  readonly #counts: Uint8Array;
  readonly #width: number;

  constructor(widthInBlocks: number, heightInBlocks: number) {
    this.#width = widthInBlocks;
    this.#counts = new Uint8Array(widthInBlocks * heightInBlocks);
  }

  /** Called at the start of a picture. A macroblock without residual keeps these zeros. */
  reset(): void {
    this.#counts.fill(0);
  }

  set(blockX: number, blockY: number, totalCoeff: number): void {
    this.#counts[blockY * this.#width + blockX] = totalCoeff;
  }

  /** nC: the rounded mean of the counts to the left and above, or the only available one (clause 9.2.1). */
  context(blockX: number, blockY: number): number {
    const at = blockY * this.#width + blockX;
    if (blockX === 0) return blockY === 0 ? 0 : this.#counts[at - this.#width]!;
    if (blockY === 0) return this.#counts[at - 1]!;
    return (this.#counts[at - 1]! + this.#counts[at - this.#width]! + 1) >> 1;
  }
}
