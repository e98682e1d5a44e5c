/** The part of an MP4 file before its samples. Source: ISO/IEC 14496-12. */

/** Ticks per second of all times in the file. 32 bits are enough for 119 hours, and for one frame of 59 hours. */
export const TICKS_PER_SECOND = 10_000;

/** Frames per chunk. A player finds a frame by the position of its chunk and the sizes of the frames before it. */
const CHUNK_FRAMES = 32;
const MAX_TICKS = 2 ** 32 - 1;
/** Some players read the duration of a frame as a signed number. */
const MAX_FRAME_TICKS = 2 ** 31 - 1;

/** The samples of a file, in order. They follow one another without gaps. */
export interface Samples {
  count: number;
  /** Position after each sample, relative to the first one, in bytes. */
  ends: Float64Array;
  /** Time of each sample, in ticks; it increases. */
  ticks: Float64Array;
  /** 1 if the sample is a keyframe, else 0. The first one is a keyframe. */
  keys: Uint8Array;
}

export interface Movie {
  /** Size of the picture in pixels, at most 65,535 each. */
  width: number;
  height: number;
  /** AVCDecoderConfigurationRecord. */
  configuration: Uint8Array;
  /** At least one. */
  samples: Samples;
  /** Time at which the last frame ends, in ticks. */
  endTicks: number;
}

/** A box, or several, as consecutive pieces. */
type Pieces = Uint8Array[];

/**
 * Returns the start of an MP4 file with one H.264 track, up to the samples: `ftyp`, `moov`, and the header of `mdat`.
 * The file is complete when the samples follow. They may have more than 4 GiB.
 */
export function mp4Head(movie: Movie): Buffer {
  const { ends, count } = movie.samples;
  const offsets = Buffer.alloc(Math.ceil(count / CHUNK_FRAMES) * 8);
  const dataBytes = ends[count - 1]!;
  // A size of 1 means that the real one follows the type, in 64 bits (4.2.2).
  const mediaData = [u32(1), ascii('mdat'), u64(dataBytes + 16)];
  const pieces = [fileType(), movieBox(movie, offsets), mediaData].flat();
  const start = lengthOf(pieces);
  for (let at = 0; at < offsets.length; at += 8) {
    const first = (at / 8) * CHUNK_FRAMES;
    offsets.writeBigUInt64BE(BigInt(start + (first === 0 ? 0 : ends[first - 1]!)), at);
  }
  return Buffer.concat(pieces);
}

const fileType = (): Pieces =>
  box('ftyp', ascii('isom'), u32(512), ascii('isom'), ascii('iso2'), ascii('avc1'), ascii('mp41'));

/** `offsets`: the positions of the chunks, which are filled in later, because they depend on the size of this box. */
function movieBox(movie: Movie, offsets: Buffer): Pieces {
  const { width, height, samples } = movie;
  const duration = Math.min(MAX_TICKS, Math.max(1, movie.endTicks - samples.ticks[0]!));
  const times = [u32(0), u32(0)]; // creation_time and modification_time: not set
  const header = fullBox('mvhd', 0, ...times, u32(TICKS_PER_SECOND), u32(duration), ...movieDefaults());
  const trackHeader = fullBox(
    'tkhd',
    3, // enabled, in the movie
    ...[...times, u32(1), u32(0), u32(duration), zeros(16), ...MATRIX, fixed(width), fixed(height)],
  );
  const mediaHeader = fullBox(
    'mdhd',
    0,
    ...[...times, u32(TICKS_PER_SECOND), u32(duration), u16(0x55c4), u16(0)], // language: undetermined
  );
  const handler = fullBox('hdlr', 0, u32(0), ascii('vide'), zeros(12), ascii('Phonebooth\0'));
  const media = box('mdia', ...mediaHeader, ...handler, ...mediaInformation(movie, offsets));
  return box('moov', ...header, ...box('trak', ...trackHeader, ...media));
}

function mediaInformation(movie: Movie, offsets: Buffer): Pieces {
  const here = fullBox('url ', 1); // The samples are in the same file.
  const references = box('dinf', ...fullBox('dref', 0, u32(1), ...here));
  return box('minf', ...fullBox('vmhd', 1, zeros(8)), ...references, ...sampleTable(movie, offsets));
}

function sampleTable(movie: Movie, offsets: Buffer): Pieces {
  const { width, height, configuration, samples } = movie;
  const entry = box(
    'avc1',
    ...[zeros(6), u16(1), zeros(16), u16(width), u16(height), fixed(72), fixed(72), zeros(4), u16(1)],
    ...[zeros(32), u16(24), u16(0xffff), ...box('avcC', configuration)],
  );
  return box(
    'stbl',
    ...fullBox('stsd', 0, u32(1), ...entry),
    ...timesToSamples(samples, movie.endTicks),
    ...keyframes(samples),
    ...samplesToChunks(samples.count),
    ...sizes(samples),
    ...fullBox('co64', 0, u32(offsets.length / 8), offsets),
  );
}

/** `stts`: the durations of the samples, with the number of consecutive samples that have each. */
function timesToSamples({ ticks, count }: Samples, endTicks: number): Pieces {
  const table = Buffer.allocUnsafe(count * 8);
  let entries = 0;
  let last = -1;
  let run = 0;
  for (let at = 0; at < count; at += 1) {
    const next = at + 1 < count ? ticks[at + 1]! : endTicks;
    const duration = Math.min(MAX_FRAME_TICKS, Math.max(1, next - ticks[at]!));
    run = duration === last ? run + 1 : 1;
    if (run === 1) entries += 1;
    table.writeUInt32BE(run, entries * 8 - 8);
    table.writeUInt32BE(duration, entries * 8 - 4);
    last = duration;
  }
  return fullBox('stts', 0, u32(entries), table.subarray(0, entries * 8));
}

/** `stss`: the numbers of the keyframes, from 1. */
function keyframes({ keys, count }: Samples): Pieces {
  const table = Buffer.allocUnsafe(count * 4);
  let entries = 0;
  for (let at = keys.indexOf(1); at >= 0 && at < count; at = keys.indexOf(1, at + 1)) {
    table.writeUInt32BE(at + 1, entries * 4);
    entries += 1;
  }
  return fullBox('stss', 0, u32(entries), table.subarray(0, entries * 4));
}

/** `stsc`: for each chunk from which on the number of samples per chunk changes, its number from 1. */
function samplesToChunks(count: number): Pieces {
  const whole = Math.floor(count / CHUNK_FRAMES);
  const rest = count % CHUNK_FRAMES;
  const entries = whole > 0 ? [u32(1), u32(CHUNK_FRAMES), u32(1)] : [];
  if (rest > 0) entries.push(u32(whole + 1), u32(rest), u32(1));
  return fullBox('stsc', 0, u32(entries.length / 3), ...entries);
}

function sizes({ ends, count }: Samples): Pieces {
  const table = Buffer.allocUnsafe(count * 4);
  let start = 0;
  for (let at = 0; at < count; at += 1) {
    table.writeUInt32BE(ends[at]! - start, at * 4);
    start = ends[at]!;
  }
  return fullBox('stsz', 0, u32(0), u32(count), table);
}

/** No rotation: a, b, u, c, d, v, x, y, w of 8.3.2.3. */
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32);

/** Rate, volume and matrix. The next track would have the number 2. */
const movieDefaults = (): Pieces => [u32(0x10000), u16(0x100), zeros(10), ...MATRIX, zeros(24), u32(2)];

function box(type: string, ...content: Pieces): Pieces {
  return [u32(8 + lengthOf(content)), ascii(type), ...content];
}

/** A box with a version, which is 0, and flags. */
const fullBox = (type: string, flags: number, ...content: Pieces): Pieces =>
  box(type, u32(flags), ...content);

const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0);

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const zeros = (length: number): Buffer => Buffer.alloc(length);
const u16 = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);
/** A number with 16 bits before and 16 bits after the point. */
const fixed = (value: number): Buffer => u32(value * 0x10000);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
