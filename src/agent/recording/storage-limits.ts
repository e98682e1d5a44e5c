import type { BatchWriter } from './batch-writer.ts';

/** The free space is read at every fifth tick of the recorder's clock. */
const SPACE_TICKS = 5;
/**
 * The tables of an MP4 file have at most 17 bytes per frame, and the index of the video, which is not uploaded, has 16.
 * The reserve is for the data that is written at the end of a recording.
 */
const OVERHEAD_PER_FRAME = 1;
const OVERHEAD = 64 * 1024;

/** The disk space that the recordings of a host share. */
export interface SharedSpace {
  /** Counts bytes that a recording has written. */
  add(bytes: number): void;
  /** Returns why a recording of this size must stop, or null. */
  shortage(ownBytes: number): Promise<string | null>;
}

export interface StorageLimitsOptions {
  writer: Pick<BatchWriter, 'bytes'>;
  space: SharedSpace;
  maxBytes: number | null;
}

/** The limits on the storage of one recording: the artifact storage of its account, and the disk space of the host. */
export class StorageLimits {
  /** Remaining artifact storage of the account, bytes; null: unlimited. */
  maxBytes: number | null;
  /** Bytes that earlier processes have written. */
  earlierBytes = 0;
  private readonly writer: Pick<BatchWriter, 'bytes'>;
  private readonly space: SharedSpace;
  private countedBytes = 0;
  private ticks = 0;

  constructor({ writer, space, maxBytes }: StorageLimitsOptions) {
    this.writer = writer;
    this.space = space;
    this.maxBytes = maxBytes;
  }

  /** Whether a recording with this number of frames exceeds the storage of the account. */
  isExceeded(frames: number): boolean {
    const used = this.earlierBytes + this.writer.bytes + frames * OVERHEAD_PER_FRAME + OVERHEAD;
    return this.maxBytes !== null && used > this.maxBytes;
  }

  /** Counts what was written since the last call as used space of the host. */
  count(): void {
    this.space.add(this.writer.bytes - this.countedBytes);
    this.countedBytes = this.writer.bytes;
  }

  /** Called at each tick of the recorder's clock. Returns why the recording must stop, or null. */
  async tick(): Promise<string | null> {
    this.count();
    this.ticks += 1;
    if (this.ticks % SPACE_TICKS !== 1) return null;
    return this.space.shortage(this.earlierBytes + this.countedBytes);
  }
}
