import { ApkError } from './apk-error.ts';

const UTF8_FLAG = 1 << 8;
/**
 * Maximum ratio of the total string length to the size of the pool. Only a crafted pool has strings that overlap this
 * much, and reading them would exhaust the memory.
 */
const MAX_OVERLAP = 4;
/**
 * Longer than any label or file name. Without it, many references to one very long string would also exhaust the
 * memory.
 */
const MAX_STRING_BYTES = 8 * 1024;

/**
 * The string pool of a compiled resource. Each string is decoded on demand.
 * Source: AOSP frameworks/base libs/androidfw/include/androidfw/ResourceTypes.h, ResStringPool_header.
 */
export class StringPool {
  private readonly bytes: Buffer;
  private readonly isUtf8: boolean;
  private readonly stringsStart: number;
  readonly count: number;

  /** @param bytes must begin with the chunk of the pool */
  constructor(bytes: Buffer) {
    this.bytes = bytes.subarray(0, bytes.readUInt32LE(4));
    this.count = bytes.readUInt32LE(8);
    this.isUtf8 = (bytes.readUInt32LE(16) & UTF8_FLAG) !== 0;
    this.stringsStart = bytes.readUInt32LE(20);
  }

  /** @throws RangeError when the pool is truncated or the string is too long. */
  get(index: number): string | null {
    if (index < 0 || index >= this.count) return null;
    const { start, length } = this.locate(index);
    if (length > MAX_STRING_BYTES) throw new RangeError('a string is too long');
    return this.bytes.toString(this.isUtf8 ? 'utf8' : 'utf16le', start, start + length);
  }

  /** @throws ApkError when decoding all strings would take far more memory than the pool has bytes. */
  checkOverlap(): void {
    let total = 0;
    for (let index = 0; index < this.count; index++) {
      total += this.locate(index).length;
      if (total > this.bytes.length * MAX_OVERLAP) throw new ApkError('the strings of its manifest overlap');
    }
  }

  private locate(index: number): { start: number; length: number } {
    const at = this.stringsStart + this.bytes.readUInt32LE(28 + index * 4);
    if (this.isUtf8) {
      // The length in characters is followed by the length in bytes. Each takes one or two bytes.
      const characters = this.bytes.readUInt8(at) & 0x80 ? 2 : 1;
      const length = this.bytes.readUInt8(at + characters);
      if (!(length & 0x80)) return { start: at + characters + 1, length };
      const low = this.bytes.readUInt8(at + characters + 1);
      return { start: at + characters + 2, length: ((length & 0x7f) << 8) | low };
    }
    const length = this.bytes.readUInt16LE(at);
    if (!(length & 0x8000)) return { start: at + 2, length: length * 2 };
    const low = this.bytes.readUInt16LE(at + 2);
    return { start: at + 4, length: (((length & 0x7fff) << 16) | low) * 2 };
  }
}
