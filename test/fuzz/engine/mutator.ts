import { mutateJson } from './json-mutator.ts';

/** Boundary values that are likely to cause arithmetic errors. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];
const MAX_STEPS = 6;
const MAX_SMALL = 35;

/** Creates inputs from existing ones. The same seed produces the same inputs. */
export class Mutator {
  readonly #random: () => number;
  readonly #maxBytes: number;
  /** Values that the code under test compares its inputs with. */
  words: Buffer[] = [];

  constructor(random: () => number, maxBytes: number) {
    this.#random = random;
    this.#maxBytes = maxBytes;
  }

  /** Returns a random integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  /** Returns a copy of one of the inputs with some changes. */
  mutate(corpus: readonly Buffer[]): Buffer {
    let bytes: Buffer = Buffer.from(this.pick(corpus));
    const steps = 2 ** this.below(MAX_STEPS);
    for (let count = 0; count < steps; count += 1) bytes = this.pick(this.#changes)(bytes, corpus);
    return bytes.subarray(0, this.#maxBytes);
  }

  readonly #changes: ((bytes: Buffer, corpus: readonly Buffer[]) => Buffer)[] = [
    (bytes) => this.#at(bytes, 1, (at) => bytes.writeUInt8(bytes[at]! ^ (1 << this.below(8)), at)),
    (bytes) => this.#at(bytes, 1, (at) => bytes.writeUInt8(this.below(256), at)),
    (bytes) => this.#number(bytes, () => this.pick(EDGES)),
    (bytes) => this.#number(bytes, (old) => old + this.below(2 * MAX_SMALL + 1) - MAX_SMALL),
    (bytes) => this.#number(bytes, () => this.below(bytes.length + 1)),
    (bytes) => this.#overwrite(bytes, this.#word()),
    (bytes) => this.#insert(bytes, this.#word()),
    (bytes) => this.#insert(bytes, Buffer.alloc(1 + this.below(32), this.below(256))),
    (bytes) => this.#insert(bytes, this.#piece(bytes)),
    (bytes) => this.#overwrite(bytes, this.#piece(bytes)),
    (bytes) => this.#remove(bytes),
    (bytes) => this.#insert(bytes, this.#repeated(this.#piece(bytes))),
    (bytes) => mutateJson(bytes, this) ?? this.#insert(bytes, this.#word()),
    (bytes, corpus) => this.#overwrite(bytes, this.#piece(this.pick(corpus))),
    (bytes, corpus) => this.#insert(bytes, this.#piece(this.pick(corpus))),
    (bytes, corpus) =>
      Buffer.concat([bytes.subarray(0, this.below(bytes.length + 1)), this.#piece(this.pick(corpus))]),
  ];

  #at(bytes: Buffer, size: number, change: (at: number) => void): Buffer {
    if (bytes.length >= size) change(this.below(bytes.length - size + 1));
    return bytes;
  }

  #number(bytes: Buffer, change: (old: number) => number): Buffer {
    const size = this.pick([1, 2, 4]);
    const isLittle = this.below(2) === 0;
    return this.#at(bytes, size, (at) => {
      const old = isLittle ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
      const value = Number(BigInt.asUintN(size * 8, BigInt(change(old))));
      if (isLittle) bytes.writeUIntLE(value, at, size);
      else bytes.writeUIntBE(value, at, size);
    });
  }

  #word(): Buffer {
    return this.words.length > 0 ? this.pick(this.words) : Buffer.of(this.below(256));
  }

  #piece(bytes: Buffer): Buffer {
    const start = this.below(bytes.length + 1);
    return bytes.subarray(start, start + this.below(Math.min(bytes.length - start, 256) + 1));
  }

  /** Repeats a piece many times, to provoke excessive running time. */
  #repeated(piece: Buffer): Buffer {
    const most = Math.floor(this.#maxBytes / Math.max(piece.length, 1));
    return Buffer.concat(Array(this.below(most + 1)).fill(piece.subarray(0, 16)));
  }

  #overwrite(bytes: Buffer, piece: Buffer): Buffer {
    // Copied first, because the piece may overlap the bytes that are overwritten.
    return this.#at(bytes, piece.length, (at) => Buffer.from(piece).copy(bytes, at));
  }

  #insert(bytes: Buffer, piece: Buffer): Buffer {
    if (bytes.length + piece.length > this.#maxBytes) return this.#overwrite(bytes, piece);
    const at = this.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  }

  #remove(bytes: Buffer): Buffer {
    const start = this.below(bytes.length + 1);
    const end = start + this.below(Math.min(bytes.length - start, 256) + 1);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  }
}
