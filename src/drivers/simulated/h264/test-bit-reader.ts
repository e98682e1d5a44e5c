/** Reads what `BitWriter` writes, bit by bit. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#position;
  }

  bit(): number {
    const byte = this.#bytes[this.#position >> 3];
    if (byte === undefined) throw new RangeError('read past the end');
    return (byte >> (7 - (this.#position++ & 7))) & 1;
  }

  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 2 + this.bit();
    return value;
  }

  unsignedExpGolomb(): number {
    let zeros = 0;
    while (this.bit() === 0) zeros++;
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  signedExpGolomb(): number {
    const codeNumber = this.unsignedExpGolomb();
    return codeNumber % 2 === 1 ? (codeNumber + 1) / 2 : -codeNumber / 2 + 0;
  }

  /** Matches one of `codes` (packed as in `cavlc-tables.ts`), and returns its index. */
  code(codes: Int32Array): number {
    let bits = 0;
    for (let length = 1; length <= 16; length++) {
      bits = bits * 2 + this.bit();
      const index = codes.indexOf((length << 16) | bits);
      if (index >= 0) return index;
    }
    throw new RangeError('no such code');
  }
}
