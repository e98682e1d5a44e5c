/** Units of an H.264 stream in the byte stream format (ITU-T H.264, annex B). */
import { nalUnitType } from '../contract/sockets/h264-config.ts';

/** Profiles whose sequence parameter set contains the chroma format (7.3.2.1.1). */
const HIGH_PROFILES: readonly number[] = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];

const START_CODE = Buffer.of(0, 0, 1);
/** Zeros before the first start code. An encoder writes one, and the standard limits their number only by the frame. */
const MAX_LEADING_ZEROS = 64;
/**
 * More than an encoder writes in one access unit. A packet of 16 MiB has room for millions of units, and recording them
 * would block the process for a second.
 */
const MAX_UNITS = 1_024;

/**
 * Returns the start and the end of each NAL unit of an access unit, without start codes, one after the other. The result
 * is empty if the data does not begin with a start code, or has too many units. `from`: start of the access unit, which
 * ends with the bytes.
 */
export function nalUnitRanges(bytes: Buffer, from = 0): number[] {
  const ranges: number[] = [];
  let start = from;
  while (bytes[start] === 0 && start - from < MAX_LEADING_ZEROS) start += 1;
  if (start - from < 2 || bytes[start] !== 1) return ranges;
  start += 1;
  for (let units = 1; start < bytes.length; units += 1) {
    if (units > MAX_UNITS) return [];
    const next = bytes.indexOf(START_CODE, start);
    let end = next < 0 ? bytes.length : next;
    // Zeros after a unit belong to the byte stream: a unit ends with a bit that is not zero (7.4.1).
    while (end > start && bytes[end - 1] === 0) end -= 1;
    if (end > start) ranges.push(start, end);
    if (next < 0) break;
    start = next + START_CODE.length;
  }
  return ranges;
}

/** Returns the NAL units of an access unit, as views and without start codes. */
export function nalUnits(data: Uint8Array): Buffer[] {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const ranges = nalUnitRanges(bytes);
  const units: Buffer[] = [];
  for (let at = 0; at < ranges.length; at += 2) units.push(bytes.subarray(ranges[at], ranges[at + 1]));
  return units;
}

/** Returns the units of this type in an access unit. */
export const unitsOfType = (units: readonly Buffer[], type: number): Buffer[] =>
  units.filter((unit) => nalUnitType(unit[0]!) === type);

/** Removes the bytes that prevent start codes within a NAL unit (7.3.1). */
const withoutEmulationPrevention = (unit: Uint8Array): Uint8Array =>
  unit.filter((byte, index) => !(byte === 3 && unit[index - 1] === 0 && unit[index - 2] === 0));

/** Reads the bits of a parameter set. Its methods throw a RangeError if the set is truncated or malformed. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  bits(count: number): number {
    let value = 0;
    for (let bit = 0; bit < count; bit++, this.#at++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) throw new RangeError('the SPS is truncated');
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }

  /** Reads an unsigned Exp-Golomb code (9.1). */
  ue(): number {
    let zeros = 0;
    while (this.bits(1) === 0) if (++zeros > 31) throw new RangeError('the SPS is malformed');
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  se(): number {
    const code = this.ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}

/** The start of a sequence parameter set (7.3.2.1.1). */
export interface Profile {
  profile: number;
  constraints: number;
  level: number;
  /** null: the profile only has 4:2:0 with 8 bits. The depths are the number of bits less 8. */
  high: { chroma: number; lumaDepth: number; chromaDepth: number } | null;
}

/**
 * Reads the start of a sequence parameter set, and returns it with the reader of the rest.
 * @param unit the whole NAL unit
 * @throws RangeError if the set is truncated or malformed
 */
export function readProfile(unit: Uint8Array): Profile & { bits: BitReader } {
  const bits = new BitReader(withoutEmulationPrevention(unit.subarray(1)));
  const [profile, constraints, level] = [bits.bits(8), bits.bits(8), bits.bits(8)];
  bits.ue(); // seq_parameter_set_id
  if (!HIGH_PROFILES.includes(profile)) return { profile, constraints, level, high: null, bits };
  const chroma = bits.ue();
  if (chroma === 3) bits.bits(1); // separate_colour_plane_flag
  const [lumaDepth, chromaDepth] = [bits.ue(), bits.ue()];
  return { profile, constraints, level, high: { chroma, lumaDepth, chromaDepth }, bits };
}
