import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaPacket, SessionPacket } from '../../contract/sockets/stream-packets.ts';
import type { Conversion, ConversionJob } from './convert-video.ts';
import { type PacketRecord, readRecords } from './packet-file.ts';
import { MAX_VIDEOS } from './recording-folder.ts';
import { type VideoFormat, VideoWriter } from './video-writer.ts';

/** Bounds the memory for the tables of one file. The next keyframe begins another one. */
const MAX_PACKETS_PER_VIDEO = 400_000;
/** A phone's clock that differs more from that of the host has jumped. */
const MAX_DIFFERENCE_MS = 10_000;

/** A frame of the video that is written at this time, in milliseconds since the start of the recording. */
interface TimedFrame {
  frame: MediaPacket;
  ms: number;
  /** Set if another video begins with this frame. */
  format: VideoFormat | null;
}

/**
 * Writes the packets to MP4 files: another file begins when the size or the parameter sets of the video change, and
 * where another process continued the recording. Each frame is shown until the next one, the last one until the end.
 */
export async function writeVideos({ folder, packets }: ConversionJob): Promise<Conversion> {
  const conversion: Conversion = { videos: [], unreadable: 0, durationMs: 0 };
  for (const file of packets) {
    const descriptor = openSync(join(folder, file), 'r');
    try {
      await writePart(descriptor, folder, conversion);
    } finally {
      closeSync(descriptor);
    }
  }
  return conversion;
}

async function writePart(descriptor: number, folder: string, conversion: Conversion): Promise<void> {
  // The space for the tables at the start of a file depends on the number of its frames.
  const counts: number[] = [];
  for (const { format } of framesOf(readRecords(descriptor))) {
    if (format) counts.push(0);
    counts[counts.length - 1]! += 1;
  }
  const part = new PartWriter(folder, conversion);
  const frames = framesOf(readRecords(descriptor));
  let next = frames.next();
  for (; !next.done; next = frames.next()) {
    const { frame, ms, format } = next.value;
    if (format) await part.begin(format, counts.shift()!, ms);
    await part.add(frame, ms);
  }
  conversion.durationMs = Math.max(conversion.durationMs, Math.round(next.value));
  await part.finish(next.value);
}

/** Writes the frames of one file with packets. A damaged frame ends a video, and the next keyframe begins another one. */
class PartWriter {
  private readonly folder: string;
  private readonly conversion: Conversion;
  private video: VideoWriter | null = null;
  /** Null if no frame with the current format can be written. */
  private format: VideoFormat | null = null;
  /** Number of frames with this format that follow. */
  private framesLeft = 0;

  constructor(folder: string, conversion: Conversion) {
    this.folder = folder;
    this.conversion = conversion;
  }

  /** The frames that follow have another format. */
  async begin(format: VideoFormat, frames: number, ms: number): Promise<void> {
    await this.finish(ms);
    this.format = format;
    this.framesLeft = frames;
  }

  async add(frame: MediaPacket, ms: number): Promise<void> {
    if (this.video && !(await this.video.add(frame, ms))) await this.finish(ms);
    if (!this.video && frame.type === 'keyframe') await this.open(ms)?.add(frame, ms);
    this.framesLeft -= 1;
  }

  async finish(endMs: number): Promise<void> {
    if (!this.video) return;
    const { file, isDamaged } = await this.video.finish(endMs);
    this.video = null;
    if (file) this.conversion.videos.push(file);
    else this.format = null;
    if (isDamaged) this.conversion.unreadable += 1;
  }

  private open(ms: number): VideoWriter | null {
    const { videos } = this.conversion;
    if (!this.format) return null;
    if (videos.length >= MAX_VIDEOS) {
      this.format = null;
      this.conversion.unreadable += 1;
      return null;
    }
    const name = `video-${videos.length + 1}.mp4`;
    const { folder, format, framesLeft } = this;
    this.video = new VideoWriter({ folder, name, format, startMs: ms, frames: framesLeft });
    return this.video;
  }
}

/** Yields the frames with their times. Returns the time at which the recording of these frames ended. */
function* framesOf(records: Iterable<PacketRecord>): Generator<TimedFrame, number> {
  const clock = new FrameClock();
  let session: SessionPacket | null = null;
  let config: Uint8Array | null = null;
  let format: VideoFormat | null = null;
  let count = 0;
  for (const record of records) {
    if (record.type === 'clock') clock.set(record.ms);
    else if (record.type === 'session') session = record;
    else if (record.type === 'config') config = record.data;
    else {
      const isKey = record.type === 'keyframe';
      const begins =
        isKey && session && config && (count >= MAX_PACKETS_PER_VIDEO || !isSame(format, session, config));
      if (begins) {
        format = { width: session!.width, height: session!.height, config: config! };
        count = 0;
      }
      if (!format) continue;
      count += 1;
      yield { frame: record, ms: clock.timeOf(record.pts), format: begins ? format : null };
    }
  }
  return clock.end;
}

const isSame = (format: VideoFormat | null, { width, height }: SessionPacket, config: Uint8Array) =>
  format?.width === width && format.height === height && Buffer.compare(format.config, config) === 0;

/** Converts the timestamps of a phone to the time of the recording. */
class FrameClock {
  private now = 0;
  private last = Number.NEGATIVE_INFINITY;
  private base: { pts: number; ms: number } | null = null;

  /** The time at which the following packets arrived at the host. */
  set(ms: number): void {
    if (Number.isFinite(ms) && ms > this.now) this.now = ms;
  }

  get end(): number {
    return Math.max(this.now, this.last + 1, 0);
  }

  /** The times increase even if the timestamps of the phone do not. */
  timeOf(pts: number): number {
    this.base ??= { pts, ms: this.now };
    let ms = this.base.ms + (pts - this.base.pts) / 1000;
    if (Math.abs(ms - this.now) > MAX_DIFFERENCE_MS) {
      this.base = { pts, ms: this.now };
      ms = this.now;
    }
    this.last = Math.max(ms, this.last + 0.1);
    return this.last;
  }
}
