import type { MediaPacket, StreamPacket } from '../../contract/sockets/stream-packets.ts';
import { Mp4File, type VideoFormat } from './mp4-file.ts';
import type { RecordingStorage } from './recording-storage.ts';

/** Why a recording ended. `full`: it reached the storage's limit in bytes. */
export type RecordingEnd =
  | { why: 'stopped' }
  | { why: 'no-keyframe' }
  | { why: 'too-slow' }
  | { why: 'full'; bytes: number }
  | { why: 'failed'; error: unknown };

export interface RecorderOptions<T> {
  storage: RecordingStorage<T>;
  requestKeyframe(): void;
  /** Called when the first frame has been recorded. */
  onBegin(): void;
  /** Called once, with the files in order, when all of them are written. */
  onEnd(end: RecordingEnd, files: readonly T[]): void;
}

/**
 * Interval and maximum number of keyframe requests. After a lost connection, their product is the time to reconnect.
 */
const KEYFRAME_REQUEST_INTERVAL_MS = 1_000;
const MAX_KEYFRAME_REQUESTS = 20;
/** Maximum number of bytes that wait to be written. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** The file's index of frames is kept in memory until the file ends, with about 100 bytes per frame. */
const MAX_FRAMES = 500_000;

/**
 * Writes the frames of a stream to files. A file has one size and one set of parameter sets: when the phone is
 * rotated, the file ends and another one begins. A recording begins at a keyframe, and continues at one after a lost
 * connection; the recorder requests both keyframes.
 */
export class SessionRecorder<T> {
  readonly #options: RecorderOptions<T>;
  readonly #files: T[] = [];
  #size: { width: number; height: number } | null = null;
  #config: Uint8Array | null = null;
  #file: Promise<Mp4File<T>> | null = null;
  #format: VideoFormat | null = null;
  /**
   * The last recorded frame: its time on the phone's clock in microseconds, and on this machine's clock in
   * milliseconds.
   */
  #last: { pts: number; at: number } | null = null;
  #lostAt: number | null = null;
  #keyframeRequests = 0;
  #keyframeTimer: ReturnType<typeof setInterval> | undefined;
  #bytes = 0;
  #frames = 0;
  #waiting = 0;
  /** Runs all file operations one after another. */
  #work: Promise<void> = Promise.resolve();
  #failure: RecordingEnd | null = null;
  #done = false;

  constructor(options: RecorderOptions<T>) {
    this.#options = options;
    this.#requestKeyframes();
  }

  onPacket(packet: StreamPacket): void {
    if (this.#done) return;
    if (packet.type === 'session') this.#size = packet;
    else if (packet.type === 'config') this.#config = packet.data;
    else this.#takeFrame(packet);
  }

  onGap(): void {
    if (this.#done) return;
    this.#lostAt ??= performance.now();
    this.#requestKeyframes();
  }

  stop(): void {
    this.#end({ why: 'stopped' });
  }

  #takeFrame(frame: MediaPacket): void {
    const isKey = frame.type === 'keyframe';
    if (isKey) this.#turn();
    if (this.#keyframeTimer) {
      // A new connection first receives the cached group of pictures, which the file already contains.
      const isNew = this.#last === null || frame.pts > this.#last.pts;
      if (!isKey || !isNew) return;
      this.#answered();
    }
    if (!this.#file && isKey) this.#begin();
    if (!this.#file) return;
    this.#last = { pts: frame.pts, at: performance.now() };
    this.#write(frame);
  }

  /** Ends the file when the next frame has another size or other parameter sets. */
  #turn(): void {
    const { width, height, config } = this.#format ?? {};
    const isSame = width === this.#size?.width && height === this.#size?.height && same(config, this.#config);
    if (this.#file && !isSame) this.#endFile();
  }

  #begin(): void {
    if (!this.#size || !this.#config) return;
    const format = { ...this.#size, config: this.#config };
    this.#format = format;
    if (this.#files.length === 0 && this.#frames === 0) this.#options.onBegin();
    this.#file = this.#options.storage.create().then((file) => Mp4File.begin(file, format));
    // Writing to the file reports the failure.
    this.#file.catch(() => {});
  }

  #write(frame: MediaPacket): void {
    const file = this.#file;
    if (!file) return;
    const bytes = frame.data.length;
    this.#bytes += bytes;
    this.#waiting += bytes;
    this.#frames += 1;
    this.#queue(async () => {
      await (await file).add(frame);
      this.#waiting -= bytes;
    });
    if (this.#waiting > MAX_WAITING_BYTES) this.#end({ why: 'too-slow' });
    else if (this.#bytes > this.#options.storage.maxBytes || this.#frames > MAX_FRAMES) {
      this.#end({ why: 'full', bytes: this.#bytes });
    }
  }

  #endFile(): void {
    const file = this.#file;
    if (!file || !this.#last) return;
    // The last frame was shown until now or, after a lost connection, until the connection was lost.
    const until = this.#lostAt ?? performance.now();
    const endPts = this.#last.pts + Math.round((until - this.#last.at) * 1000);
    this.#file = null;
    this.#queue(async () => {
      this.#files.push(await (await file).finish(endPts));
    });
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#failure ??= { why: 'failed', error };
      this.#end(this.#failure);
    });
  }

  #requestKeyframes(): void {
    this.#keyframeRequests = 0;
    if (this.#keyframeTimer) return;
    this.#options.requestKeyframe();
    this.#keyframeTimer = setInterval(() => {
      this.#keyframeRequests += 1;
      if (this.#keyframeRequests > MAX_KEYFRAME_REQUESTS) this.#end({ why: 'no-keyframe' });
      else this.#options.requestKeyframe();
    }, KEYFRAME_REQUEST_INTERVAL_MS);
  }

  #answered(): void {
    clearInterval(this.#keyframeTimer);
    this.#keyframeTimer = undefined;
    this.#lostAt = null;
  }

  #end(end: RecordingEnd): void {
    if (this.#done) return;
    this.#done = true;
    clearInterval(this.#keyframeTimer);
    this.#endFile();
    // Writing the end of the file may still fail after the recording was stopped.
    void this.#work.then(() => this.#options.onEnd(this.#failure ?? end, this.#files));
  }
}

const same = (one: Uint8Array | undefined, other: Uint8Array | null) =>
  one?.length === other?.length && (one?.every((byte, at) => byte === other?.[at]) ?? false);
