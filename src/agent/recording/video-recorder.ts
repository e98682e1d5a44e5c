import {
  decodePacket,
  PACKET_HEADER_BYTES,
  packetTime,
  packetType,
} from '../../contract/sockets/stream-packets.ts';
import { nalUnitRanges } from '../../media/h264.ts';
import { avcConfiguration, writeAvcSample } from '../../media/mp4/avc.ts';
import { checkedSize, type VideoSize } from '../../media/video-size.ts';
import type { BatchWriter } from './batch-writer.ts';
import { FrameClock } from './frame-clock.ts';
import { type EarlierParts, indexFile, MAX_INDEX_BYTES, samplesFile } from './recording-folder.ts';
import { clockRecord, indexHeader, RECORD_BYTES, type VideoFormat, writeFrameRecord } from './video-index.ts';

/**
 * The time between two parts is taken from the wall clock, which may jump. The control plane ends a session whose host
 * does not report for 10 s, unless it is itself down.
 */
const MAX_GAP_MS = 10 * 60_000;
/**
 * When a fifth of its index is full, a video continues until the next keyframe, which is requested and begins another
 * one. This bounds the memory for the tables of a video: a fifth has 400,000 frames, which take two hours at 60 frames/s.
 */
const LONG_INDEX = 0.2;

export interface VideoRecorderOptions {
  files: Pick<BatchWriter, 'append' | 'copy' | 'end'>;
  /** Called at the first frame. `isFirst`: no earlier process has recorded this lease. */
  onStart: (at: number, isFirst: boolean) => void;
  onRotation: (size: VideoSize, at: number) => void;
  requestKeyframe: () => void;
  maxIndexBytes?: number;
}

const DAMAGED = 'a part of the video is missing: the phone sent frames that are not valid H.264';
const NO_KEYFRAME = 'a part of the video is missing: the phone sent no keyframe for too long';

/** The video that is being recorded. */
interface Video extends VideoFormat {
  samples: string;
  index: string;
  /** Sizes of both files. */
  bytes: number;
  indexBytes: number;
}

/**
 * Writes the frames of one recording in the format of MP4, and their index. Another video begins when the size or the
 * parameter sets change, and in every process that records the lease. All times are on the clock of
 * `performance.now()`.
 */
export class VideoRecorder {
  /** Number of frames, and of videos, of which earlier processes may have begun some. */
  frames = 0;
  videos = 0;
  /** Why frames are missing although the recording continues; null: none are. */
  incompleteReason: string | null = null;
  private readonly options: VideoRecorderOptions;
  private readonly maxIndexBytes: number;
  private earlier: { startedAt: number; endMs: number } | null = null;
  /** When the recording began, which may have been in an earlier process. */
  private startedAt: number | null = null;
  private readonly clock = new FrameClock();
  private size: VideoSize | null = null;
  private config: Uint8Array | null = null;
  /** Format of the next keyframe; null: not known, or not valid. */
  private format: VideoFormat | null = null;
  private video: Video | null = null;
  private needsKeyframe = true;
  private readonly record = Buffer.alloc(RECORD_BYTES);

  constructor(options: VideoRecorderOptions) {
    this.options = options;
    this.maxIndexBytes = options.maxIndexBytes ?? MAX_INDEX_BYTES;
  }

  get hasStarted(): boolean {
    return this.startedAt !== null;
  }

  /** Continues after the parts of earlier processes. */
  open({ startedAt, endMs, videos }: EarlierParts): void {
    this.videos = videos;
    this.earlier = startedAt === null ? null : { startedAt, endMs };
  }

  /**
   * Records an encoded packet. It creates few objects per frame: at a constant rate of frames of many phones, they make
   * up most of the garbage of the process.
   */
  push(encoded: Uint8Array, at: number): void {
    const type = packetType(encoded);
    if (type === 'keyframe' || type === 'delta') {
      this.addFrame(bufferOf(encoded), type === 'keyframe', at);
      return;
    }
    const packet = decodePacket(encoded);
    if (packet.type === 'session') this.setSize(packet, at);
    else this.setFormat(this.size, packet.data);
  }

  /** Milliseconds from the start of the recording. */
  timeAt(at: number): number {
    return Math.max(0, Math.round(at - (this.startedAt ?? at)));
  }

  /** Writes the time, until which the last frame is shown. */
  writeClock(at: number): void {
    if (this.video) this.addClock(this.video, this.timeAt(at));
  }

  private setSize({ width, height }: VideoSize, at: number): void {
    const isRotated = this.size !== null && (this.size.width !== width || this.size.height !== height);
    this.size = { width, height };
    this.setFormat(this.size, this.config);
    if (isRotated) this.options.onRotation({ width, height }, at);
  }

  private setFormat(size: VideoSize | null, config: Uint8Array | null): void {
    this.config = config;
    this.format = null;
    if (size && config) {
      try {
        this.format = { ...checkedSize(size), configuration: avcConfiguration(config) };
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.incompleteReason = DAMAGED;
      }
    }
    if (!this.format || !this.video || !isSame(this.format, this.video)) this.needsKeyframe = true;
  }

  private addFrame(encoded: Buffer, isKey: boolean, at: number): void {
    if (!this.format || (this.needsKeyframe && !isKey)) return;
    const units = nalUnitRanges(encoded, PACKET_HEADER_BYTES);
    // The frames after a missing one cannot be decoded.
    this.needsKeyframe = units.length === 0;
    if (this.needsKeyframe) {
      this.incompleteReason = DAMAGED;
      return;
    }
    const { files, onStart, requestKeyframe } = this.options;
    const isFirst = this.startedAt === null;
    this.startedAt ??= at - this.offset();
    const ms = this.clock.timeOf(packetTime(encoded), this.timeAt(at));
    const video = this.videoOf(this.format, isKey, ms);
    if (isFirst) this.writeClock(at);
    if (this.isFull(video)) {
      this.needsKeyframe = true;
      this.incompleteReason = NO_KEYFRAME;
      return;
    }
    video.bytes += writeAvcSample(files, video.samples, encoded, units);
    this.frames += 1;
    writeFrameRecord(this.record, isKey, video.bytes, ms);
    files.copy(video.index, this.record, 0, RECORD_BYTES);
    video.indexBytes += RECORD_BYTES;
    if (this.isLong(video)) requestKeyframe();
    if (isFirst) onStart(at, this.earlier === null);
  }

  private addClock(video: Video, ms: number): void {
    if (this.isFull(video)) return;
    this.options.files.append(video.index, clockRecord(ms));
    video.indexBytes += RECORD_BYTES;
  }

  private isFull({ indexBytes }: Video): boolean {
    return indexBytes + RECORD_BYTES > this.maxIndexBytes;
  }

  private isLong({ indexBytes }: Video): boolean {
    return indexBytes > this.maxIndexBytes * LONG_INDEX;
  }

  /** Returns the video of the frame, which begins with it if the frame has another format than the one before it. */
  private videoOf(format: VideoFormat, isKey: boolean, ms: number): Video {
    const { video } = this;
    const { files } = this.options;
    if (video && !(isKey && this.isLong(video)) && isSame(video, format)) return video;
    if (video) {
      this.addClock(video, ms);
      files.end(video.samples);
      files.end(video.index);
    }
    this.videos += 1;
    const [samples, index] = [samplesFile(this.videos), indexFile(this.videos)];
    const header = indexHeader(format);
    files.append(index, header);
    this.video = { ...format, samples, index, bytes: 0, indexBytes: header.length };
    return this.video;
  }

  /** Time of the recording at which this part begins. */
  private offset(): number {
    if (!this.earlier) return 0;
    const { startedAt, endMs } = this.earlier;
    return endMs + Math.min(MAX_GAP_MS, Math.max(0, Date.now() - startedAt - endMs));
  }
}

const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

const isSame = (one: VideoFormat, other: VideoFormat): boolean =>
  one.width === other.width && one.height === other.height && one.configuration.equals(other.configuration);
