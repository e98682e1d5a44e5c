/** H.264 in MP4. Source: ISO/IEC 14496-15, 5.3. */
import { PICTURE_PARAMETER_SET, SEQUENCE_PARAMETER_SET } from '../../contract/sockets/h264-config.ts';
import { nalUnits, type Profile, readProfile, unitsOfType } from '../h264.ts';

/** Size of the length before each NAL unit of a sample, in bytes. */
export const LENGTH_BYTES = 4;
/** The counts of parameter sets have 5 and 8 bits, and their lengths have 16. */
const MAX_SPS = 31;
const MAX_PPS = 255;
const MAX_SET_BYTES = 0xffff;

const length = Buffer.alloc(LENGTH_BYTES);

/** A NAL unit with fewer bytes is copied, because another buffer in a write takes more time than the copy. */
const MIN_KEPT_BYTES = 4096;

export interface SampleTarget {
  /** Takes these bytes of the source for a file before it returns. */
  copy(name: string, source: Buffer, from: number, to: number): void;
  /** Keeps the bytes for a file. They must not be modified afterwards. */
  append(name: string, bytes: Uint8Array): void;
}

/**
 * Writes an access unit to a file in the format of MP4, in which a length replaces each start code. Returns the size.
 * @param bytes must not be modified afterwards
 * @param ranges the NAL units in the bytes, from nalUnitRanges()
 */
export function writeAvcSample(
  target: SampleTarget,
  name: string,
  bytes: Buffer,
  ranges: readonly number[],
): number {
  let size = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const start = ranges[at]!;
    const end = ranges[at + 1]!;
    length.writeUInt32BE(end - start);
    target.copy(name, length, 0, LENGTH_BYTES);
    if (end - start < MIN_KEPT_BYTES) target.copy(name, bytes, start, end);
    else target.append(name, bytes.subarray(start, end));
    size += LENGTH_BYTES + end - start;
  }
  return size;
}

/**
 * Returns the AVCDecoderConfigurationRecord (5.3.3.1.2) for the parameter sets of a config packet.
 * @throws RangeError when the packet lacks a parameter set, or one is damaged
 */
export function avcConfiguration(config: Uint8Array): Buffer {
  const units = nalUnits(config);
  const sequence = unitsOfType(units, SEQUENCE_PARAMETER_SET);
  const picture = unitsOfType(units, PICTURE_PARAMETER_SET);
  const isValid =
    sequence.length >= 1 &&
    sequence.length <= MAX_SPS &&
    picture.length >= 1 &&
    picture.length <= MAX_PPS &&
    units.every(({ length }) => length <= MAX_SET_BYTES);
  if (!isValid) throw new RangeError('the config packet does not contain one SPS and one PPS at least');
  const { profile, constraints, level, high } = readProfile(sequence[0]!);
  return Buffer.concat([
    // The bits that are set are reserved. The number in the fifth byte is that of the bytes of a length, less one.
    Buffer.of(1, profile, constraints, level, 0xfc | (LENGTH_BYTES - 1), 0xe0 | sequence.length),
    ...sequence.flatMap(withLength),
    Buffer.of(picture.length),
    ...picture.flatMap(withLength),
    high ? highProfile(high) : Buffer.alloc(0),
  ]);
}

/** Chroma format and bit depths. The last byte is the number of SPS extensions. */
function highProfile({ chroma, lumaDepth, chromaDepth }: NonNullable<Profile['high']>): Buffer {
  if (chroma > 3 || lumaDepth > 7 || chromaDepth > 7) throw new RangeError('the SPS is malformed');
  return Buffer.of(0xfc | chroma, 0xf8 | lumaDepth, 0xf8 | chromaDepth, 0);
}

function withLength(unit: Uint8Array): Uint8Array[] {
  return [Buffer.of(unit.length >> 8, unit.length & 0xff), unit];
}
