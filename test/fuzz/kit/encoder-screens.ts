/** A screen whose successive changes are determined by the bytes of an input. */
export class FuzzedScreen {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
  readonly #bytes: Buffer;
  #at = 0;
  #before: Uint8Array;

  constructor(input: Buffer) {
    this.#bytes = input;
    this.width = 2 + 2 * (this.#byte() % 40);
    this.height = 2 + 2 * (this.#byte() % 60);
    this.rgba = new Uint8Array(this.width * this.height * 4);
    this.#before = this.rgba.slice();
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#byte();
  }

  /** Draws the next change. */
  change(): void {
    const before = this.rgba.slice();
    const kind = this.#byte() % 7;
    if (kind === 0) this.#fill(() => this.#colour);
    else if (kind === 1) this.#scroll(this.#byte() - 128);
    else if (kind === 2) this.#fill((x, y, seed) => Math.imul((x * 7919 + y * 104_729) ^ seed, 0x9e3779b1));
    else if (kind === 3) this.#fill((x, y) => ((x + y) & 1 ? 0xffffff : 0));
    else if (kind === 4) this.#fill((x, y, seed) => ((x * 3 + y + seed) & 0xff) * 0x010101);
    else if (kind === 5) this.#fill(() => this.#byte() * 0x010203);
    else this.rgba.set(this.#before);
    this.#before = before;
  }

  get #colour(): number {
    return this.#bytes.length >= this.#at + 3 ? this.#bytes.readUIntBE(this.#at, 3) : 0;
  }

  /** Returns the next byte, or zero after the end of the input. */
  #byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  /** Fills a rectangle at any position. */
  #fill(colourAt: (x: number, y: number, seed: number) => number): void {
    const [left, top] = [this.#byte() % this.width, this.#byte() % this.height];
    const [right, bottom] = [left + 1 + this.#byte(), top + 1 + this.#byte()];
    const seed = this.#byte();
    for (let y = top; y < Math.min(bottom, this.height); y++) {
      for (let x = left; x < Math.min(right, this.width); x++) {
        const colour = colourAt(x, y, seed);
        this.rgba.set([colour >> 16, colour >> 8, colour, 255], (y * this.width + x) * 4);
      }
    }
  }

  #scroll(rows: number): void {
    const distance = Math.max(-this.height, Math.min(rows, this.height)) * this.width * 4;
    if (distance >= 0) this.rgba.copyWithin(0, distance);
    else this.rgba.copyWithin(-distance, 0, this.rgba.length + distance);
  }
}
