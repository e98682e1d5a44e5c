import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  StreamTarget,
  type StreamTargetChunk,
} from 'mediabunny';
import { avcCodecString, withConfig } from '../../contract/sockets/h264-config.ts';
import type { MediaPacket } from '../../contract/sockets/stream-packets.ts';
import type { VideoFile } from './convert-video.ts';

/** The properties that all frames of one file share. */
export interface VideoFormat {
  width: number;
  height: number;
  /** The parameter sets in Annex B format. */
  config: Uint8Array;
}

interface VideoWriterOptions {
  folder: string;
  name: string;
  format: VideoFormat;
  /** Time of the first frame, in milliseconds since the start of the recording. */
  startMs: number;
  /** Number of frames of the file. */
  frames: number;
}

/**
 * Writes frames to one MP4 file, without transcoding. Its tables are at its start, so that a player can seek with range
 * requests. It writes synchronously, because it runs in a worker thread.
 */
export class VideoWriter {
  private readonly options: VideoWriterOptions;
  private readonly path: string;
  private readonly source = new EncodedVideoPacketSource('avc');
  private descriptor: number | null;
  private size = 0;
  private output: Output | null = null;
  /** The newest frame, whose duration is not known yet. */
  private held: { frame: MediaPacket; ms: number } | null = null;
  private isEmpty = true;
  /** Time of the first frame that could not be written, because it is not valid H.264. The file ends before it. */
  private damagedMs: number | null = null;
  private failure: unknown = null;

  constructor(options: VideoWriterOptions) {
    this.options = options;
    this.path = join(options.folder, options.name);
    this.descriptor = openSync(this.path, 'w', 0o600);
  }

  /**
   * The first frame must be a keyframe, and the times must increase. Returns false if the frame before this one is
   * damaged: then the file takes no more frames. @throws Error when the file cannot be written
   */
  async add(frame: MediaPacket, ms: number): Promise<boolean> {
    const before = this.held;
    this.held = { frame, ms };
    if (before) await this.write(before, ms);
    return this.damagedMs === null;
  }

  /**
   * Ends the file. `file`: null if it would have no frame. `isDamaged`: it lacks the frames from the first damaged one.
   * @throws Error when the file cannot be written
   */
  async finish(endMs: number): Promise<{ file: VideoFile | null; isDamaged: boolean }> {
    const { format, name, startMs } = this.options;
    const lastMs = Math.max(endMs, (this.held?.ms ?? startMs) + 1);
    if (this.held && this.damagedMs === null) await this.write(this.held, lastMs);
    if (!this.isEmpty && !(await this.guard(async () => this.output?.finalize()))) this.isEmpty = true;
    closeSync(this.descriptor!);
    this.descriptor = null;
    const isDamaged = this.damagedMs !== null || this.isEmpty;
    if (this.isEmpty) {
      rmSync(this.path, { force: true });
      return { file: null, isDamaged };
    }
    const { width, height } = format;
    const durationMs = Math.max(1, Math.round((this.damagedMs ?? lastMs) - startMs));
    const file = { name, size: this.size, offsetMs: Math.round(startMs), durationMs, width, height };
    return { file, isDamaged };
  }

  private async write({ frame, ms }: { frame: MediaPacket; ms: number }, untilMs: number): Promise<void> {
    const isWritten = await this.guard(async () => {
      const { config, width, height } = this.options.format;
      const isKey = frame.type === 'keyframe';
      const packet = new EncodedPacket(
        isKey ? withConfig(config, frame.data) : frame.data,
        isKey ? 'key' : 'delta',
        (ms - this.options.startMs) / 1e3,
        (untilMs - ms) / 1e3,
      );
      this.output ??= await this.begin();
      // Without a `description`, mediabunny expects packets in Annex B format and converts them for the file.
      const decoderConfig = { codec: avcCodecString(config), codedWidth: width, codedHeight: height };
      await this.source.add(packet, this.isEmpty ? { decoderConfig } : undefined);
      this.isEmpty = false;
    });
    if (!isWritten) this.damagedMs = ms;
  }

  private async begin(): Promise<Output> {
    const output = new Output({
      format: new Mp4OutputFormat({ fastStart: 'reserve' }),
      target: new StreamTarget(
        new WritableStream<StreamTargetChunk>({ write: (chunk) => this.store(chunk) }),
        { chunked: true, chunkSize: 1024 * 1024 },
      ),
    });
    output.addVideoTrack(this.source, { maximumPacketCount: this.options.frames });
    await output.start();
    return output;
  }

  private store({ data, position }: StreamTargetChunk): void {
    try {
      for (let at = 0; at < data.length; ) {
        at += writeSync(this.descriptor!, data, at, data.length - at, position + at);
      }
      this.size = Math.max(this.size, position + data.length);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  /** Returns false if the frames are damaged: the error is not one of the file system. */
  private async guard(run: () => Promise<unknown>): Promise<boolean> {
    let isDone = true;
    try {
      await run();
    } catch {
      isDone = false;
    }
    if (this.failure) throw this.failure;
    return isDone;
  }
}
