import { PACKAGE, STRING_POOL, TABLE, TYPE, TYPE_REFERENCE, TYPE_STRING } from './chunk-types.ts';
import { StringPool } from './string-pool.ts';

const NO_ENTRY = 0xffffffff;
const FLAG_SPARSE = 0x01;
const FLAG_OFFSET16 = 0x02;
const ENTRY_COMPLEX = 0x0001;
const ENTRY_COMPACT = 0x0008;

/** Maximum number of resources visited per lookup: references to references, in each configuration. */
const MAX_LOOKUPS = 64;
/** Maximum number of values per resource. There are fewer combinations of language, density and Android version. */
const MAX_CANDIDATES = 2_000;
const MAX_TYPES = 100_000;

/** One value of a resource and the configuration that it applies to. */
interface Candidate {
  /** Two letters; empty for the default language. */
  language: string;
  /** Dots per inch; 0: any density, 0xfffe: independent of density. */
  density: number;
  value: { type: number; data: number };
}

/**
 * Reads the part of an APK's resources.arsc that is needed for its label and icon.
 * Source: AOSP frameworks/base libs/androidfw/include/androidfw/ResourceTypes.h.
 */
export class ResourceTable {
  private readonly bytes: Buffer;
  private readonly strings: StringPool;
  /** Type chunks by the upper 16 bits of their resource ids, which contain the package and the type. */
  private readonly types: Map<number, Chunk[]>;

  /**
   * @throws RangeError when the bytes are not a valid resource table. The other methods throw it for malformed
   * entries.
   */
  constructor(bytes: Buffer) {
    if (bytes.readUInt16LE(0) !== TABLE) throw new RangeError('is not a resource table');
    this.bytes = bytes;
    const parts = () => chunks(bytes, bytes.readUInt16LE(2), bytes.length);
    const pool = parts().find(({ type }) => type === STRING_POOL);
    if (!pool) throw new RangeError('the resource table has no string pool');
    this.strings = new StringPool(bytes.subarray(pool.at));
    this.types = typesOf(
      bytes,
      parts().filter(({ type }) => type === PACKAGE),
    );
  }

  /** The text of a string resource, preferably in the default language or in English. */
  text(id: number): string | null {
    const rank = ({ language }: Candidate) => (language === '' ? 0 : language === 'en' ? 1 : 2);
    return this.resolve(id, (a, b) => rank(a) - rank(b)).next().value ?? null;
  }

  /**
   * The files of a drawable, highest density first. A maliciously crafted table can yield hundreds of thousands, so
   * callers must limit how many they take.
   */
  files(id: number): Generator<string, undefined> {
    return this.resolve(id, (a, b) => (b.density & 0xfff) - (a.density & 0xfff));
  }

  /** Yields the strings that a resource resolves to, in the given order of its candidates. */
  private *resolve(
    id: number,
    order: (a: Candidate, b: Candidate) => number,
    budget = { lookups: MAX_LOOKUPS },
  ): Generator<string, undefined> {
    if (budget.lookups === 0) return;
    budget.lookups -= 1;
    for (const { value } of this.candidates(id).sort(order)) {
      if (value.type === TYPE_REFERENCE) yield* this.resolve(value.data, order, budget);
      const text = value.type === TYPE_STRING ? this.strings.get(value.data) : null;
      if (text !== null) yield text;
    }
  }

  private candidates(id: number): Candidate[] {
    const chunksOfType = this.types.get(id >>> 16) ?? [];
    return chunksOfType.slice(0, MAX_CANDIDATES).flatMap((chunk) => {
      const value = this.valueIn(chunk, id & 0xffff);
      return value ? [{ ...this.configuration(chunk.at), value }] : [];
    });
  }

  /**
   * ResTable_config begins at byte 20 of a type chunk. Within it, the language is at offset 8 and the density at 14.
   */
  private configuration(at: number): Pick<Candidate, 'language' | 'density'> {
    const language = this.bytes.toString('latin1', at + 28, at + 30).replaceAll('\0', '');
    return { language, density: this.bytes.readUInt16LE(at + 34) };
  }

  private valueIn(chunk: Chunk, entry: number): Candidate['value'] | null {
    const offset = this.offsetOf(chunk, entry);
    if (offset === null) return null;
    const at = chunk.at + this.bytes.readUInt32LE(chunk.at + 16) + offset;
    const flags = this.bytes.readUInt16LE(at + 2);
    if (flags & ENTRY_COMPACT) return { type: flags >>> 8, data: this.bytes.readUInt32LE(at + 4) };
    if (flags & ENTRY_COMPLEX) return null;
    const value = at + this.bytes.readUInt16LE(at);
    return { type: this.bytes.readUInt8(value + 3), data: this.bytes.readUInt32LE(value + 4) };
  }

  private offsetOf({ at, headerSize }: Chunk, entry: number): number | null {
    const flags = this.bytes.readUInt8(at + 9);
    const count = this.bytes.readUInt32LE(at + 12);
    const table = at + headerSize;
    if (flags & FLAG_SPARSE) return this.sparseOffset(table, count, entry);
    if (entry >= count) return null;
    if (flags & FLAG_OFFSET16) {
      const offset = this.bytes.readUInt16LE(table + entry * 2);
      return offset === 0xffff ? null : offset * 4;
    }
    const offset = this.bytes.readUInt32LE(table + entry * 4);
    return offset === NO_ENTRY ? null : offset;
  }

  /** Binary search in pairs of an entry index and an offset in units of 4 bytes, sorted by index. */
  private sparseOffset(table: number, count: number, entry: number): number | null {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.bytes.readUInt16LE(table + middle * 4) < entry) low = middle + 1;
      else high = middle;
    }
    if (low === count || this.bytes.readUInt16LE(table + low * 4) !== entry) return null;
    return this.bytes.readUInt16LE(table + low * 4 + 2) * 4;
  }
}

function typesOf(bytes: Buffer, packages: Iterable<Chunk>): Map<number, Chunk[]> {
  const types = new Map<number, Chunk[]>();
  let count = 0;
  for (const one of packages) {
    for (const chunk of chunks(bytes, one.at + one.headerSize, one.end)) {
      if (chunk.type !== TYPE) continue;
      count += 1;
      if (count > MAX_TYPES) throw new RangeError('the resource table has too many types');
      const key = (bytes.readUInt32LE(one.at + 8) << 8) | bytes.readUInt8(chunk.at + 8);
      const known = types.get(key);
      if (known) known.push(chunk);
      else types.set(key, [chunk]);
    }
  }
  return types;
}

interface Chunk {
  type: number;
  at: number;
  headerSize: number;
  end: number;
}

function* chunks(bytes: Buffer, from: number, to: number): Generator<Chunk> {
  for (let at = from; at + 8 <= to; ) {
    const end = at + bytes.readUInt32LE(at + 4);
    if (end < at + 8 || end > to) throw new RangeError('a chunk of the resource table is malformed');
    yield { type: bytes.readUInt16LE(at), at, headerSize: bytes.readUInt16LE(at + 2), end };
    at = end;
  }
}
