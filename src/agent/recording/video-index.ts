/**
 * The format of the files in which a recording stores its video until the session has ended. Each video has two:
 *
 * - `video-<n>.samples` contains the frames as they are in an MP4 file, one after the other.
 * - `video-<n>.index` contains the format of the video, and a record of 16 bytes for each frame: its kind, its end in
 *   the other file, and its time. Clock records contain the time up to which the last frame is shown.
 *
 * Both files are only appended to. A process that is killed leaves at most one incomplete record, and frames without a
 * record or records without a frame, at the ends of the files. All numbers are big-endian.
 */

/** "pbv1" in ASCII. */
const SIGNATURE = 0x70627631;
/** Signature, width (u16), height (u16), and the length of the configuration (u32), which follows. */
const HEADER_BYTES = 12;
/** Larger than the configuration of any encoder. */
const MAX_CONFIGURATION_BYTES = 1024 * 1024;

/** Kind (u8), a reserved byte, end of the frame in bytes (u48), and time in milliseconds (f64). */
export const RECORD_BYTES = 16;
const CLOCK = 1;
const DELTA = 2;
const KEYFRAME = 3;

/** Larger than any frame of a phone. A record that declares more is damaged. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The properties that all frames of one video share. */
export interface VideoFormat {
  /** Size of the picture in pixels, at most 65,535 each. */
  width: number;
  height: number;
  /** AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1.2). */
  configuration: Buffer;
}

/** Returns the start of an index. */
export function indexHeader({ width, height, configuration }: VideoFormat): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + configuration.length);
  bytes.writeUInt32BE(SIGNATURE);
  bytes.writeUInt16BE(width, 4);
  bytes.writeUInt16BE(height, 6);
  bytes.writeUInt32BE(configuration.length, 8);
  configuration.copy(bytes, HEADER_BYTES);
  return bytes;
}

/** `end`: position after the frame, in bytes. `ms`: time since the start of the recording, in milliseconds. */
export const writeFrameRecord = (record: Buffer, isKey: boolean, end: number, ms: number): void =>
  write(record, isKey ? KEYFRAME : DELTA, end, ms);

/** `ms`: time since the start of the recording, in milliseconds. */
export function clockRecord(ms: number): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  write(record, CLOCK, 0, ms);
  return record;
}

function write(record: Buffer, kind: number, end: number, ms: number): void {
  record.writeUInt16BE(kind << 8);
  record.writeUIntBE(end, 2, 6);
  record.writeDoubleBE(ms, 8);
}

/** The frames of a video, as far as both of its files are intact. */
export interface IndexedVideo extends VideoFormat {
  /** Number of frames. */
  count: number;
  /** Position after each frame, in bytes. */
  ends: Float64Array;
  /** Time of each frame since the start of the recording, in milliseconds; it increases. */
  times: Float64Array;
  /** 1 if the frame is a keyframe, else 0. */
  keys: Uint8Array;
  /** Time in the last clock record, or 0. */
  clockMs: number;
}

/** Returns the time at which the last frame ends, in milliseconds since the start of the recording. */
export const endOf = ({ times, count, clockMs }: IndexedVideo): number =>
  Math.max(clockMs, times[count - 1]! + 1);

/**
 * Reads an index up to the first record that is incomplete, damaged, or of a frame that ends after `maxEnd`, the size
 * of the file with the samples. Returns null if it has no frame.
 */
export function readIndex(bytes: Buffer, maxEnd: number): IndexedVideo | null {
  const format = readHeader(bytes);
  if (!format) return null;
  const first = HEADER_BYTES + format.configuration.length;
  const records = Math.floor((bytes.length - first) / RECORD_BYTES);
  const video: IndexedVideo = {
    ...format,
    count: 0,
    clockMs: 0,
    ends: new Float64Array(records),
    times: new Float64Array(records),
    keys: new Uint8Array(records),
  };
  for (let at = 0; at < records; at += 1) {
    if (!addRecord(video, bytes, first + at * RECORD_BYTES, maxEnd)) break;
  }
  return video.count > 0 ? video : null;
}

function readHeader(bytes: Buffer): VideoFormat | null {
  if (bytes.length < HEADER_BYTES || bytes.readUInt32BE() !== SIGNATURE) return null;
  const [width, height, length] = [bytes.readUInt16BE(4), bytes.readUInt16BE(6), bytes.readUInt32BE(8)];
  const configuration = bytes.subarray(HEADER_BYTES, HEADER_BYTES + length);
  const isDamaged = length > MAX_CONFIGURATION_BYTES || configuration.length < length;
  return isDamaged ? null : { width, height, configuration };
}

/** Returns false if the record is damaged. */
function addRecord(video: IndexedVideo, bytes: Buffer, at: number, maxEnd: number): boolean {
  const { count, ends, times, keys } = video;
  const kind = bytes[at];
  const ms = bytes.readDoubleBE(at + 8);
  if (!isTime(ms)) return false;
  if (kind === CLOCK) {
    video.clockMs = ms;
    return true;
  }
  const isKey = kind === KEYFRAME;
  const end = bytes.readUIntBE(at + 2, 6);
  const size = end - (ends[count - 1] ?? 0);
  const isFrame = isKey || (kind === DELTA && count > 0);
  const isIntact = size > 0 && size <= MAX_FRAME_BYTES && end <= maxEnd && ms > (times[count - 1] ?? -1);
  if (!isFrame || !isIntact) return false;
  ends[count] = end;
  times[count] = ms;
  keys[count] = isKey ? 1 : 0;
  video.count += 1;
  return true;
}

const isTime = (ms: number): boolean => Number.isFinite(ms) && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER;
