import { ApkError } from './apk-error.ts';

const UTF8_FLAG = 1 << 8;
/** More text than its strings' own bytes: they overlap, as no tool makes them, and would fill the memory. */
const MAX_OVERLAP = 4;
/** Longer than any label or file's name. Many references to one string that is all of a table would fill the memory, too. */
const MAX_STRING_BYTES = 8 * 1024;

/**
 * The strings of a compiled resource, each read when it is asked for.
 * Source: AOSP frameworks/base libs/androidfw/include/androidfw/ResourceTypes.h, ResStringPool_header.
 */
export class StringPool {
  private readonly bytes: Buffer;
  private readonly isUtf8: boolean;
  private readonly stringsStart: number;
  readonly count: number;

  /** `bytes` begin with the pool's chunk. */
  constructor(bytes: Buffer) {
    this.bytes = bytes.subarray(0, bytes.readUInt32LE(4));
    this.count = bytes.readUInt32LE(8);
    this.isUtf8 = (bytes.readUInt32LE(16) & UTF8_FLAG) !== 0;
    this.stringsStart = bytes.readUInt32LE(20);
  }

  /** @throws RangeError when the pool does not have what it says. */
  get(index: number): string | null {
    if (index < 0 || index >= this.count) return null;
    const { start, length } = this.locate(index);
    if (length > MAX_STRING_BYTES) throw new RangeError('a string is far too long');
    return this.bytes.toString(this.isUtf8 ? 'utf8' : 'utf16le', start, start + length);
  }

  /** @throws ApkError when reading all strings would take far more memory than the pool has bytes. */
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
      // Its length in characters, then in bytes; each in one byte or two.
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
