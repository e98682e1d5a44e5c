const INITIAL_BYTES = 1 << 16;

/**
 * Writes an RBSP, most significant bit first, with the descriptors of ITU-T H.264 clause 7.2. The buffer is kept
 * across calls of `reset`, so it grows to the size of the largest unit written. That size is bounded, because the
 * encoder keeps every macroblock within the 3200 bits of clause A.3.1.
 */
export class BitWriter {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;
  /** Number of bits that are not yet stored in a byte: always fewer than 8 between calls. */
  #pending = 0;
  #pendingBits = 0;

  get bitLength(): number {
    return this.#length * 8 + this.#pendingBits;
  }

  /** The whole bytes written so far, as a view that the next write may overwrite. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  reset(): void {
    this.rewind(0);
  }

  /** Discards everything written after `bitLength`. */
  rewind(bitLength: number): void {
    const length = bitLength >> 3;
    const pendingBits = bitLength & 7;
    this.#pending =
      length < this.#length
        ? this.#bytes[length]! >> (8 - pendingBits)
        : this.#pending >> (this.#pendingBits - pendingBits);
    this.#length = length;
    this.#pendingBits = pendingBits;
  }

  /** u(n), for n up to 24. */
  bits(value: number, count: number): void {
    const pending = (this.#pending << count) | value;
    let pendingBits = this.#pendingBits + count;
    if (this.#length + 4 > this.#bytes.length) this.#grow();
    while (pendingBits >= 8) {
      pendingBits -= 8;
      this.#bytes[this.#length++] = pending >>> pendingBits;
    }
    this.#pending = pending & ((1 << pendingBits) - 1);
    this.#pendingBits = pendingBits;
  }

  flag(value: boolean): void {
    this.bits(value ? 1 : 0, 1);
  }

  /** ue(v), for values up to 2^24 - 2 (clause 9.1). */
  unsignedExpGolomb(value: number): void {
    const codeNumber = value + 1;
    const suffixBits = 31 - Math.clz32(codeNumber);
    this.bits(0, suffixBits);
    this.bits(1, 1);
    this.bits(codeNumber - (1 << suffixBits), suffixBits);
  }

  /** se(v) (clause 9.1.1). */
  signedExpGolomb(value: number): void {
    this.unsignedExpGolomb(value > 0 ? 2 * value - 1 : -2 * value);
  }

  /** Pads with zero bits: pcm_alignment_zero_bit (clause 7.3.5). */
  alignWithZeros(): void {
    this.bits(0, (8 - this.#pendingBits) & 7);
  }

  /** rbsp_trailing_bits() (clause 7.3.2.11). */
  trailingBits(): void {
    this.bits(1, 1);
    this.alignWithZeros();
  }

  #grow(): void {
    const bytes = new Uint8Array(this.#bytes.length * 2);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
